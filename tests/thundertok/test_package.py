"""The door for Python: what it exports, its examples, and that it computes what the command line prints."""

import ast
import dataclasses
import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import thundertok as tt
from engine.cli import main
from engine.config import TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.messages import FOLDER, read_texts
from engine.model_files import load_tokenizer
from tests.conftest import ROOT
from tests.engine.unigram.test_trainer import sentences
from tests.hub_server import HubServer
from thundertok.models import LoadedModel

_GOLD = "# text = 그는 갔다\n그는\t그+는\n갔다\t가+았+다\n\n나는\t나+는\n본다\t보+ㄴ다\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(sentences(120)) + "\n", encoding="utf-8")
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict]:
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("path", sorted((ROOT / "thundertok").glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_true(path: Path) -> None:
    name = "thundertok" if path.stem == "__init__" else f"thundertok.{path.stem}"
    result = doctest.testmod(importlib.import_module(name))
    assert not result.failed
    assert result.attempted == (path.read_text(encoding="utf-8").count(">>> "))


def test_every_function_is_there_with_an_example() -> None:
    for name in tt.__all__:
        assert f"`{name}`" in (tt.__doc__ or ""), name
        assert name in ("InputError", "morphology") or ">>> " in getattr(tt, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tt.nothing


def test_type_checkers_see_the_same_names_from_the_same_modules() -> None:
    tree = ast.parse((ROOT / "thundertok" / "__init__.py").read_bytes())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == tt._MODULES
    assert all((ROOT / name / "py.typed").is_file() for name in ("engine", "thundertok"))


def test_the_package_alone_loads_nothing() -> None:
    script = "import sys, thundertok; print(sorted(m for m in sys.modules if m.startswith('engine.') or m == 'numpy'))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reference_is_the_same_everywhere(hub: HubServer, tmp_path: Path, corpus: Path) -> None:
    saved = tmp_path / "run.tok"
    trained = tt.train(corpus, vocab_size=300)
    trained.save(saved)
    made = trained.export("hf", tmp_path / "tokenizer.json", sentences(5))
    assert made.endswith("none differs")
    hub.files["owner/name"] = {"tokenizer.json": (tmp_path / "tokenizer.json").read_bytes()}
    for reference, size in (
        ("public:llama3", 128_256),
        ("shipped:thunder-tok-32k", 32_000),
        ("hub:owner/name", 300),
        (str(saved), 300),
        (saved, 300),
    ):
        assert tt.load(reference).vocab_size == load_tokenizer(reference).vocab_size == size
    assert tt.load("hub:owner/name").encode("한 줄").ids == trained.encode("한 줄").ids
    assert tt.load(saved).tokenizer.to_bytes() == trained.tokenizer.to_bytes()


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("public:nothing", "public.unknown"),
        ("shipped:nothing", "shipped.unknown"),
        ("hub:a/b/c", "hub.closed"),
        ("nothing.tok", "file.unreadable"),
        (Path("public:gpt2"), "file.unreadable"),
        ("", "file.unreadable"),
        ("\0", "file.unreadable"),
    ],
)
def test_a_wrong_reference_is_one_sentence(reference: str | Path, code: str) -> None:
    with pytest.raises(InputError) as caught:
        tt.load(reference)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tt.compare([], ["가"]),
        lambda: tt.compare({}, ["가"]),
        lambda: tt.robustness("public:gpt2", ["가"], ["x"]),
        lambda: tt.load("shipped:thunder-tok-8k").lattice("가").nbest(-1),
        lambda: tt.train(["가", "가"], 257, threads=-2),
        lambda: tt.train(["가", "가"], 257, threads=0),
        lambda: tt.stability(["가", "나"], 256, resamples=0),
    ],
)
def test_a_value_out_of_range_is_one_sentence(call: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.tok").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(ModelFileError):
        tt.load(tmp_path / "x.tok")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("splintr", "kiwipiepy", "tokenizers", "sentencepiece.sentencepiece_model_pb2", "typst"):
        monkeypatch.setitem(sys.modules, module, None)
    importlib.import_module("engine.public.load")._is_installed.cache_clear()
    model = tt.train(["가나 다라", "가나 마바", "가나"], vocab_size=257)
    (tmp_path / "sp.model").write_bytes(b"\x0a\x05\x0a\x03abc")
    for act, extra in (
        (lambda: tt.load("public:llama3"), "public"),
        (lambda: model.export("hf", tmp_path / "t.json"), "export"),
        (lambda: tt.load(tmp_path / "sp.model"), "export"),
        (lambda: model.encode("가나").picture().save(tmp_path / "t.pdf"), "export"),
    ):
        with pytest.raises(InputError, match=rf"not installed; run: pip install \"thunder-tok-explorer\[{extra}\]\""):
            act()
    importlib.import_module("engine.public.load")._is_installed.cache_clear()


def test_training_is_that_of_the_command_line(corpus: Path, tmp_path: Path, capsys) -> None:
    for algorithm, more in (("thunder-tok", {"score": "be"}), ("unigram", {}), ("bpe", {"ties": "lexicographic"})):
        options = [word for name, value in more.items() for word in (f"--{name}", value)]
        command = ["train", corpus, "--vocab-size", 300, "--algorithm", algorithm, "--output", tmp_path / "m", *options]
        printed(capsys, *command)
        made = tt.train(corpus, 300, algorithm, **more)
        assert made.tokenizer.to_bytes() == (tmp_path / "m").read_bytes()
    preset = tt.train(corpus, 300, preset="fewest-tokens").tokenizer.settings
    assert preset is not None and preset.pretokenizer == "thunder-tok-joined"
    with pytest.raises(InputError, match="unknown preset 'x'"):
        tt.train(corpus, 300, preset="x")
    with pytest.raises(InputError, match="not 'bpe'"):
        tt.train(corpus, 300, "bpe", preset="fewest-tokens")
    with pytest.raises(TypeError, match=r"^there is no setting 'no_such_setting'; choose one of: algorithm, "):
        tt.train(corpus, 300, no_such_setting=1)


def test_a_corpus_is_lines_or_files(corpus: Path, tmp_path: Path) -> None:
    lines = sentences(120)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("text,n\n하나,1\n", encoding="utf-8")
    wanted = tt.fertility("public:gpt2", lines)["tokens"].tolist()
    for given in (str(corpus), corpus, [str(corpus)], [corpus], {"own": lines}, {"own": corpus}):
        assert tt.fertility("public:gpt2", given)["tokens"].tolist() == wanted
    named = tt.fertility("public:gpt2", [tmp_path / "a.csv", tmp_path / "b.csv"], column="text")
    assert named["file"].tolist() == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    with pytest.raises(InputError, match="no column 'text'"):
        tt.fertility("public:gpt2", corpus, column="text")
    with pytest.raises(InputError, match=r"nothing\.txt"):
        tt.fertility("public:gpt2", "nothing.txt")


def test_what_is_no_corpus_is_refused_and_what_is_missing_left_out(corpus: Path) -> None:
    lines = sentences(120)
    wanted = tt.fertility("public:gpt2", lines)["tokens"].tolist()
    for given in ((line for line in lines), np.array(lines), pd.Series([None, *lines, float("nan"), pd.NA])):
        assert tt.fertility("public:gpt2", given)["tokens"].tolist() == wanted
    for given in ({"a": lines}, pd.DataFrame({"text": lines}), [b"a"], [1, 2], [["a"]], b"a", None, 3):
        with pytest.raises(InputError, match="a corpus is a file, or a list of files or of lines"):
            tt.train(given, vocab_size=280)


def test_numbers_and_names_out_of_range_are_refused(corpus: Path) -> None:
    for rate in (-0.1, 2, float("nan")):
        with pytest.raises(InputError, match="the rate of errors must be between 0 and 1"):
            tt.robustness("public:gpt2", corpus, rate=rate)
    with pytest.raises(InputError, match="the number of parts must be between 2 and"):
        tt.keyness(corpus, corpus, n_parts=0)
    with pytest.raises(InputError, match="the number of new tokens must be between 0 and 500,000, got -1"):
        tt.fit("public:gpt2", corpus, extend=-1)
    with pytest.raises(InputError, match="unknown grouping 'x'; choose one of: tag, frequency"):
        tt.morphology("public:gpt2", "gold.tsv", by="x")
    for measure in (tt.fertility, tt.robustness):
        with pytest.raises(InputError, match="the seed must be between 0 and"):
            measure("public:gpt2", corpus, seed=-1)
    for columns in ([], ["model", "x"]):
        with pytest.raises(InputError, match=r"unknown column '(x|)'; choose one of: model, file, "):
            tt.compare("public:gpt2", corpus).to_latex(columns)
    for nothing in ({}, [], {"a": []}):
        for texts in ((nothing, corpus), (corpus, nothing)):
            with pytest.raises(InputError, match="one of the sub-corpora is empty"):
                tt.keyness(*texts)
    assert set(tt.robustness("public:gpt2", corpus, "no-spaces")["variant"]) == {"no-spaces"}


def test_a_message_names_what_python_calls_an_option(corpus: Path, capsys) -> None:
    """Every option that a message names is a parameter of a function, or of the command line and no function alone."""
    with pytest.raises(InputError, match=r"^text is the text that a program .* named by gold analyses"):
        tt.morphology("public:gpt2", "mecab")
    with pytest.raises(InputError, match="use unit words"):
        tt.keyness(corpus, ["다른 글"], "tokens")
    assert main(["morphology", "--model", "public:gpt2", "--gold", "mecab"]) == 2
    assert capsys.readouterr().err.startswith("--text is the text that a program (mecab, kiwi) named by --gold")
    functions = [*(getattr(tt, name) for name in tt.__all__), *vars(LoadedModel).values()]
    names = {field.name for field in dataclasses.fields(TrainingSettings)}
    names |= {name for one in filter(callable, functions) for name in inspect.signature(one).parameters}
    texts = read_texts(FOLDER / "error.toml")
    named = {option for text in texts.values() for option in re.findall("--([a-z-]+)", text["en"])}
    by_commands = {"dask", "global-merges", "lm", "parallel", "pattern-seconds", "server", "split", "stream"}
    of_encode = {"encode", "figure", "first", "json", "output", "show"}
    assert {name for name in named if name.replace("-", "_") not in names} == by_commands | of_encode


@pytest.mark.slow
def test_measures_are_those_of_the_command_line(corpus: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "gold.tsv").write_text(_GOLD, encoding="utf-8")
    models = ["public:gpt2", "public:bert"]
    wanted = printed(capsys, "fertility", "--model", *models, "--text", corpus)
    assert list(tt.compare(models, corpus).rows) == wanted
    assert tt.fertility(models, corpus)["fertility"].tolist() == [row["fertility"] for row in wanted]

    wanted = printed(capsys, "morphology", "--model", *models, "--gold", tmp_path / "gold.tsv")
    found = tt.morphology(models, tmp_path / "gold.tsv")
    assert found["f1"].tolist() == [row["f1"] for row in wanted]
    by = tt.morphology(models, tmp_path / "gold.tsv", by="frequency")
    assert by["clean"].tolist() == [part["clean"] for row in wanted for part in row["by_frequency"]]

    wanted = printed(capsys, "audit", "--model", "public:gpt2", "--text", corpus)
    assert {"model": "public:gpt2", **tt.audit("public:gpt2", corpus).fields} == wanted

    options = ("--vocab-size", 280, "--resamples", 2)
    assert tt.stability(corpus, 280, resamples=2).fields == printed(capsys, "stability", corpus, *options)

    (tmp_path / "other.txt").write_text("\n".join(sentences(200)[120:]), encoding="utf-8")
    for unit, model in (("words", None), ("tokens", "public:gpt2")):
        options = ["--unit", unit, "--limit", "0", "--analyser", "none", *(["--model", model] if model else [])]
        wanted = printed(capsys, "keyness", corpus, "--against", tmp_path / "other.txt", *options)
        found = tt.keyness(corpus, tmp_path / "other.txt", unit, model)
        for name in ("g2", "p_holm", "log_ratio_low", "dp_norm", "direction"):
            assert found[name].tolist() == [row[name] for row in wanted], name

    (tmp_path / "gold.txt").write_text("\n".join(sentences(120)), encoding="utf-8")
    options = ("--method", "pmi-entropy", "--gold", tmp_path / "gold.txt")
    scores = tt.segment(corpus, gold=tmp_path / "gold.txt").scores
    assert scores is not None
    assert scores.f1 == printed(capsys, "segment", corpus, *options)["f1"]


@pytest.mark.usefixtures("few_fuzz_lines")
def test_a_changed_vocabulary_is_that_of_the_command_line(corpus: Path, tmp_path: Path, capsys) -> None:
    (wanted_tokens := tmp_path / "list.txt").write_text(" 다람쥐\n\nthe\n", encoding="utf-8")
    trained = tt.train(corpus, 400, "byte-bpe")
    trained.save(tmp_path / "model.tok")
    trained.export("hf", tmp_path / "model.json", sentences(5))
    trained.export("tiktoken", tmp_path / "model.tiktoken", sentences(5))
    written, output = tmp_path / "python", tmp_path / "command"
    for model, texts, options, change in (
        (tmp_path / "model.tiktoken", [], ("--add", wanted_tokens), {"add": wanted_tokens}),
        (tmp_path / "model.tok", corpus, ("--extend", 20, "--min-count", 3), {"extend": 20, "min_count": 3}),
        (tmp_path / "model.tok", corpus, ("--trim", 300, "--renumber"), {"trim": 300, "renumber": True}),
        (tmp_path / "model.json", corpus, ("--trim-unused",), {"trim_unused": True}),
    ):
        pattern = "gpt2" if model.suffix == ".tiktoken" else None
        more = (*(("--text", texts) if texts else ()), *(("--pattern", pattern) if pattern else ()))
        wanted = printed(capsys, "fit", "--model", model, *options, *more, "--output", output)
        loaded = tt.load(model, pattern)
        for given in (model, loaded, *(() if options[0] == "--trim-unused" else (loaded.tokenizer,))):
            made = tt.fit(given, texts, pattern=pattern, **change)
            made.save(written, tmp_path / "map.npz")
            assert written.read_bytes() == output.read_bytes()
            assert json.loads(json.dumps(made.fields)) == wanted
            assert f"{wanted['n_added']:,} tokens added, {wanted['n_removed']:,} removed" in repr(made)
    with np.load(tmp_path / "map.npz") as arrays:
        assert arrays["new_id_of_old"].tolist() == made.id_map.new_id_of_old.tolist()
    for wrong, code in (({}, "fit.change"), ({"extend": 1, "trim": 300}, "fit.change"), ({"extend": 1}, "fit.text")):
        with pytest.raises(InputError) as caught:
            tt.fit("public:gpt2", **wrong)
        assert caught.value.code == code
    with pytest.raises(InputError, match="vocabulary of"):
        tt.fit(loaded.tokenizer, corpus, trim_unused=True)


def test_the_vocabulary_and_the_lattice_are_those_of_the_command_line(corpus: Path, tmp_path: Path, capsys) -> None:
    model = tt.train(corpus, 300)
    model.save(tmp_path / "m.tok")
    wanted = printed(capsys, "tokens", "--model", tmp_path / "m.tok", "--round", 0, "--sort", "be")
    found = model.tokens(0, sort="be")
    assert found["be"].tolist() == [row["be"] for row in wanted]
    assert found["id"].astype(object).where(found["id"].notna(), None).tolist() == [row["id"] for row in wanted]

    text = sentences(1)[0]
    wanted = printed(capsys, "lattice", "--model", tmp_path / "m.tok", "--text", text, "--nbest", 2, "--round", 0)
    lattice = model.lattice(text, 0)
    assert lattice.to_frame()["marginal"].tolist() == [arc["marginal"] for arc in wanted["arcs"]]
    assert lattice.nbest(2)["posterior"].tolist() == [path["posterior"] for path in wanted["nbest"]]
    assert model.rounds[0].lattice(text).log_z == lattice.log_z == wanted["log_z"]


def test_rounds_remove_what_the_model_says(corpus: Path) -> None:
    model = tt.train(corpus, 280)
    for before, after in zip(model.rounds, model.rounds[1:], strict=False):
        assert len(before.removed()) == before.report.n_removed
        left = set(before.to_frame().query("not removed")["token"])
        assert left == set(after.to_frame()["token"])
    with pytest.raises(InputError):
        _ = tt.load("public:gpt2").rounds


def test_settings_of_which_no_use_is_made_are_named() -> None:
    with pytest.warns(UserWarning, match="^bpe does not use score, shrink$") as warned:
        tt.train(["low low lower newest"], 16, algorithm="bpe", score="ml", shrink=0.5)
    assert warned[0].filename == __file__
    lines = ["가나가나다라", "다라가나"]
    with pytest.warns(UserWarning, match="^entropy-only does not use lam$") as warned:
        tt.segment(lines, "entropy-only", lam=3.0)
    assert warned[0].filename == __file__
    with pytest.warns(UserWarning, match="^words does not use model, analyser$"):
        tt.keyness(lines, lines[:1], model="public:gpt2", analyser="mecab")
    with pytest.warns(UserWarning, match="^without typing and wrong-spaces does not use rate$"):
        tt.robustness("public:gpt2", lines, "jamo", rate=0.5)
    # What there is not is refused, without a word on what it does not use.
    with pytest.raises(InputError, match="unknown method"):
        tt.segment(lines, "none at all", lam=3.0)
    with pytest.raises(InputError, match="unknown unit"):
        tt.keyness(lines, lines[:1], unit="sounds", analyser="mecab")
    with pytest.raises(InputError, match="unknown variant"):
        tt.robustness("public:gpt2", lines, "loud", rate=0.5)
