"""What an installed package must do, run by the Python that it is installed in: `base`, then `extras`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import engine
import thundertok as tt

_BIN = Path(sys.executable).parent


def _run(*command: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run([_BIN / command[0], *command[1:]], input=text, capture_output=True, text=True, check=False)


def _refused(act: Callable[[], object], extra: str) -> None:
    said = ""
    try:
        act()
    except tt.InputError as error:
        said = str(error)
    assert f'pip install "thunder-tok-explorer[{extra}]"' in said, said


def base() -> None:
    """Without extras: models, measures, commands; one sentence for what is missing."""
    assert Path(engine.__file__ or "").is_relative_to(sys.prefix), engine.__file__
    model = tt.load("shipped:thunder-tok-32k")
    assert model.encode("다양한 음식").tokens == ["다양한", " 음식"]
    assert "<svg" in (model.lattice("다양한 음식")._repr_html_() or "")
    trained = tt.train(["가나 다라", "가나 마바", "가나 다라 마바"], vocab_size=260)
    assert trained.save("run.tok") and tt.load("run.tok").vocab_size == 260
    assert tt.compare(["run.tok", "public:bert"], ["가나 다라", "마바"]).to_latex()

    done = _run("thunder-tok", "encode", "--model", "run.tok", text="가나 다라\n")
    assert (done.stdout, done.returncode) == ("가나| 다라\n", 0), done.stderr
    done = _run("thunder-tok", "models")
    assert "shipped:thunder-tok-32k" in done.stdout, done.stderr

    _refused(lambda: tt.load("public:llama3"), "public")
    _refused(lambda: trained.export("hf", "tokenizer.json"), "export")
    _refused(lambda: tt.train(["가나 다라", "가나"], vocab_size=257, pretokenizer="mecab"), "morphology")
    done = _run("thunder-tok", "train", "x.txt", "--vocab-size", "300", "--output", "x", "--dask", "local:1")
    assert done.returncode == 2 and "thunder-tok-explorer[cluster]" in done.stderr, done.stderr
    done = _run("thunder-tok-app")
    assert done.returncode == 2 and "thunder-tok-explorer[app]" in done.stderr, done.stderr


def extras() -> None:
    """With public and export."""
    assert tt.load("public:whisper_v2").vocab_size == 51_865
    trained = tt.train(["가나 다라", "가나 마바", "가나 다라 마바"], vocab_size=260)
    assert "tokenizers" in trained.export("hf", "tokenizer.json")
    assert tt.load("tokenizer.json").encode("가나 다라").ids == trained.encode("가나 다라").ids


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"base": base, "extras": extras}[sys.argv[1]]()
