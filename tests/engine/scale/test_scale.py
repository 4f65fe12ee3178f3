"""A corpus shard by shard, streaming or on a cluster: the same bytes as in memory, whatever happens on the way."""

import gzip
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cli import main
from engine.config import RECIPES, TrainingSettings, defaults_of
from engine.corpus import arrays
from engine.corpus.reading.read import read_corpus
from engine.errors import InputError
from engine.scale import dask_workers, inputs
from engine.scale.training import scaled_training
from engine.scale.workers import StateFiles
from engine.training import train
from engine.unigram.train.trainer import build_corpus
from tests.conftest import ROOT, wait_until
from tests.engine.unigram.test_trainer import sentences
from tests.load.scale import kill_workers, shuffled_lines, worker_processes, write_corpus
from tests.load.scale import train as run_training

_SETTINGS = TrainingSettings(vocab_size=300)
_FORM = '{"form": "꽃이 폈다"}'


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two files in several blocks, which make several shards."""
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 700)
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 2000)
    paths = []
    for seed, name in enumerate(("a.txt", "b.txt")):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text("\n\n".join(sentences(120, seed)) + "\n" * seed, encoding="utf-8")
    return paths


def in_memory(paths: list[str], settings: TrainingSettings) -> bytes:
    return train([line for path in paths for line in read_corpus(path)], settings).to_bytes()


def streamed(paths: list[str], settings: TrainingSettings, threads: int = 1) -> bytes:
    with scaled_training(paths, settings, threads=threads) as training:
        assert [report.is_last for report in training.rounds()][-1]
        return training.model().to_bytes()


@pytest.mark.parametrize(
    "settings",
    [
        _SETTINGS,
        replace(_SETTINGS, max_seed=150, membership="expected"),
        replace(_SETTINGS, max_seed=60, vocab_size=290, seed_vocabulary="ngrams"),
        replace(_SETTINGS, max_seed=150, seed_vocabulary="right-branching"),
        replace(_SETTINGS, sentencepiece_safe=True, seed_vocabulary="right-branching"),
        replace(_SETTINGS, context="pretoken", normalization="nfd"),
        replace(_SETTINGS, score="neighbour_be"),
        replace(_SETTINGS, sentencepiece_safe=True, partial_characters=True, max_seed=150),
        replace(_SETTINGS, **RECIPES["fewest-tokens"]),
        replace(defaults_of("unigram"), vocab_size=300, pretokenizer=r"\S+|\s+"),
        TrainingSettings(algorithm="bpe", vocab_size=100),
        TrainingSettings(algorithm="wordpiece", vocab_size=100),
    ],
    ids=lambda settings: f"{settings.algorithm}-{settings.score}-{settings.max_seed}-{settings.context}",
)
def test_streaming_changes_no_byte(corpus: list[str], settings: TrainingSettings) -> None:
    if settings.algorithm == "thunder-tok":
        assert build_corpus([line for path in corpus for line in read_corpus(path)], settings).n_shards > 2
    assert streamed(corpus, settings, threads=2) == in_memory(corpus, settings)


def test_a_corpus_with_more_shards_than_sections_of_the_spool(corpus: list[str], monkeypatch) -> None:
    monkeypatch.setattr(arrays, "_SHARD_CHARS", 10)
    assert streamed(corpus, _SETTINGS) == in_memory(corpus, _SETTINGS)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plain.txt", "가나 다라\n\n마바\n가나 다라".encode()),
        ("ends.txt", "가나 다라\n마바\n\n".encode()),
        ("marked.txt", b"\xef\xbb\xbf\xef\xbb\xbf" + "가나\n다라\n".encode()),
        ("long.txt", ("가나 다라" * 500 + "\n마바\n").encode()),
        ("cp949.txt", "\n".join(sentences(100)).replace("😀", "").encode("cp949")),
        ("late.txt", b"a\n" * 3000 + "가나 다라\n마바".encode("cp949")),
        ("wide.txt", "가나 다라\n마바 사아".encode("utf-16")),
        ("wide-le.txt", ("a plain text\n" * 30).encode("utf-16-le")),
        ("packed.txt.gz", gzip.compress("가나 다라\n마바\n".encode(), mtime=0)),
        ("table.csv", "text\n가나 다라\n마바\n".encode()),
        ("empty.txt", b""),
        (
            "tagged.txt",
            "나무에\t나무/NNG + 에/JKB\n꽃이\t꽃/NNG + 이/JKS\n폈다.\t피/VV + 었/EP + 다/EF + ./SF\n".encode() * 30,
        ),
        ("nikl.json", f'{{"document": [{{"sentence": [{", ".join(["{}"] * 500 + [_FORM])}]}}]}}'.encode()),
    ],
)
def test_blocks_of_a_file_are_its_lines(tmp_path: Path, monkeypatch, name: str, data: bytes) -> None:
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 1000)
    path, other = tmp_path / name, tmp_path / "other.txt"
    path.write_bytes(data)
    other.write_text("그 말은\n틀렸어", encoding="utf-8")
    paths = [str(path), str(other), str(path)]
    found = inputs.survey(paths, None, "nfd")
    lines = [line for part in paths for line in read_corpus(part)]
    assert [line for block in found.blocks for line in (block.lines() or "").split("\n")] == lines
    assert found.fingerprint == build_corpus(lines, TrainingSettings(normalization="nfd")).fingerprint
    if name in ("cp949.txt", "late.txt"):
        assert len(found.blocks) > 5


def test_columns_divide_a_table_as_in_memory(tmp_path: Path) -> None:
    rows = [f"{sentence},{number % 3}" for number, sentence in enumerate(sentences(90))]
    (path := tmp_path / "table.csv").write_text("\n".join(["text,register", *rows]), encoding="utf-8")
    for split in ((), ("register",)):
        with scaled_training([str(path)], _SETTINGS, column="text", split=split) as training:
            assert [*training.rounds()]
            made = training.model().to_bytes()
        assert made == train(read_corpus(path, column="text", split=split), _SETTINGS).to_bytes()
    with pytest.raises(InputError, match="year") as caught:
        inputs.survey([str(path)], "text", "none", split=("year",))
    assert caught.value.code == "table.split"


def test_a_file_that_is_no_text_says_what_reading_it_says(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"ab\n\xff\xff\n")
    with pytest.raises(InputError) as direct:
        read_corpus(path)
    with pytest.raises(InputError) as surveyed:
        inputs.survey([str(path)], None, "none")
    assert str(surveyed.value) == str(direct.value)
    path.write_text("<html>\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.txt: .*HTML"):
        inputs.survey([str(path)], None, "none")
    with pytest.raises(InputError, match=r"cannot read .*missing\.txt"):
        inputs.survey([str(tmp_path / "missing.txt")], None, "none")


def test_a_state_is_kept_and_what_did_not_change_is_not_written_again(tmp_path: Path) -> None:
    files = StateFiles(tmp_path / "shard", 7)
    assert files.load() == 7
    large, other = np.arange(5000), np.arange(3000.0)
    files.save((large, [other, "word"]))
    assert len(list(tmp_path.iterdir())) == 1
    for _ in range(3):
        first, (second, word) = files.load()
        assert word == "word" and np.array_equal(first, large) and np.array_equal(second, other)
        first[:] = 0  # a copy of its own
        files.save((large if _ == 2 else files.load()[0], [second + 1, word]))
        other = other + 1
        assert len(list(tmp_path.iterdir())) == (1 if _ == 2 else 2)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (TrainingSettings(algorithm="words", vocab_size=300), "scale.algorithm"),
        (TrainingSettings(algorithm="superbpe", vocab_size=300), "scale.superbpe"),
        (TrainingSettings(pretokenizer="pmi-entropy"), "scale.learned"),
        (TrainingSettings(vocab_size=1_000_000), "vocabulary.large"),
        (TrainingSettings(pretokenizer="("), "pattern.invalid"),
    ],
)
def test_what_cannot_be_is_said_and_leaves_nothing(corpus: list[str], tmp_path, settings, code: str) -> None:
    spool = tmp_path / "spool"
    with pytest.raises(InputError) as caught, scaled_training(corpus, settings, spool=str(spool)):
        pass
    assert caught.value.code == code
    assert not spool.exists() or not list(spool.iterdir())


def test_the_spool_may_lie_where_fsspec_can_write(corpus: list[str]) -> None:
    fsspec = pytest.importorskip("fsspec")
    with scaled_training(corpus, _SETTINGS, spool="memory://spool") as training:
        list(training.rounds())
        assert fsspec.filesystem("memory").find("/spool")
        assert training.model().to_bytes() == in_memory(corpus, _SETTINGS)
    assert not fsspec.filesystem("memory").find("/spool")


def test_without_dask_the_option_says_what_to_install(corpus: list[str], tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = ["train", *corpus, "--vocab-size", "300", "--output", str(tmp_path / "m.tok")]
    assert main([*arguments, "--dask", "local:2"]) == 2
    assert "thunder-tok-explorer[cluster]" in capsys.readouterr().err


@pytest.mark.slow
def test_the_engine_does_not_load_dask(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("\n".join(sentences(60)), encoding="utf-8")
    script = (
        "import sys; from engine.cli import main; "
        f"main(['train', {str(text)!r}, '--stream', '--vocab-size', '300', '--output', {str(tmp_path / 'm.tok')!r}]); "
        "sys.exit(bool({'dask', 'distributed', 'fsspec'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


# What follows runs the command line: a cluster is several processes, which are killed here.


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """800,000 characters: two shards, eight seconds of rounds."""
    path = tmp_path_factory.mktemp("scale") / "corpus.txt"
    words = shuffled_lines([" ".join(f"{a}{b}" for a in "가나다라마바사" for b in sentences(40, 3))], 5)
    path.write_text("\n".join(line for line, _ in zip(words, range(40_000), strict=False)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(text: Path) -> str:
    """SHA-256 of the model that is trained in memory."""
    process = command(text, [])
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return str(json.loads(out)["sha256"])


def training(text: Path, options: list[str]) -> list[str]:
    return ["train", str(text), "--vocab-size", "2000", "--json", "--output", str(text.with_suffix(".tok")), *options]


def command(text: Path, options: list[str]) -> "subprocess.Popen[str]":
    return engine(training(text, options))


def copies(text: Path, folder: Path, number: int) -> list[str]:
    """Files that begin with different lines of a text."""
    lines = text.read_text(encoding="utf-8").split("\n")
    paths = [folder / f"{k}.txt" for k in range(number)]
    for k, path in enumerate(paths):
        path.write_text("\n".join(lines[k : k + 4000]), encoding="utf-8")
    return [*map(str, paths)]


def engine(arguments: list[str]) -> "subprocess.Popen[str]":
    """The command line with these arguments, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "engine", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a Ctrl-C is for this one only
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--stream"], ["--dask", "local:4"]], ids=" ".join)  # fewer workers: below, killed
def test_every_way_of_training_makes_the_same_model(text: Path, expected: str, options: list[str]) -> None:
    process = command(text, options)
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert json.loads(out)["sha256"] == expected


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_die_change_no_byte(text: Path, expected: str, workers: int, tmp_path: Path) -> None:
    process = command(text, ["--dask", f"local:{workers}", "--spool", str(tmp_path)])
    killed = kill_workers(process, tmp_path, 3, random.Random(workers))
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert killed > 0
    assert json.loads(out)["sha256"] == expected


def _after_the_first_round(process: "subprocess.Popen[str]") -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("round 0"):
            return
    pytest.fail("it ended before the first round")


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--stream"], ["--dask", "local:2"]], ids=" ".join)
def test_ctrl_c_stops_it_within_two_seconds(text: Path, options: list[str], tmp_path: Path, wait_until) -> None:
    process = command(text, [*options, "--spool", str(tmp_path)])
    wait_until(lambda: any(tmp_path.iterdir()))  # the text is being laid down: everything else is still to come
    workers = worker_processes(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)  # two seconds where nothing else runs
    assert process.returncode == 130 and errors.endswith("stopped; nothing was written\n")
    assert not list(tmp_path.iterdir())
    wait_until(lambda: not any(worker.is_running() and worker.status() != "zombie" for worker in workers))


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A scheduler without workers: its address and its process."""
    found = tmp_path / "scheduler.json"
    arguments = ["--scheduler-file", str(found), "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *arguments], stderr=subprocess.DEVNULL
    )
    while not found.exists():
        time.sleep(0.1)
    yield json.loads(found.read_text())["address"], process
    process.kill()
    process.wait()


@contextmanager
def worker_of(address: str, folder: Path, log: Path) -> Iterator[None]:
    """A worker that imports what lies in this folder, once the scheduler knows it."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"],
            cwd=folder,
            stderr=errors,
        )
    try:
        wait_until(lambda: b"Registered to:" in log.read_bytes())
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_scheduler_that_goes_is_said_in_one_line(text: Path, tmp_path: Path, scheduler) -> None:
    address, scheduler_process = scheduler
    with worker_of(address, ROOT, tmp_path / "worker.log"):
        process = command(text, ["--dask", address, "--spool", str(tmp_path / "spool")])
        _after_the_first_round(process)
        scheduler_process.kill()
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.splitlines()[-1].startswith("the connection to the Dask scheduler at tcp://127.0.0.1:")
    assert json.loads(out)["error"]["code"] == "scale.lost"
    assert not list((tmp_path / "spool").iterdir())


@pytest.mark.slow
def test_a_scheduler_that_goes_while_texts_are_measured(text: Path, tmp_path: Path, scheduler) -> None:
    address, scheduler_process = scheduler
    arguments = ["fertility", "--model", "public:bert", "public:gpt2", "--text", *copies(text, tmp_path, 30), "--json"]
    with worker_of(address, ROOT, tmp_path / "worker.log"):
        process = engine([*arguments, "--dask", address, "--work", str(tmp_path / "work")])
        wait_until(lambda: any((tmp_path / "work").glob("*.npz")))
        scheduler_process.kill()
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.splitlines()[-1].startswith("the connection to the Dask scheduler at tcp://127.0.0.1:")
    assert json.loads(out)["error"]["code"] == "scale.lost"


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [True, False])
def test_a_worker_with_another_engine_is_refused(text: Path, tmp_path: Path, scheduler, is_there: bool) -> None:
    other = tmp_path / "elsewhere" / "engine"
    if is_there:
        shutil.copytree(ROOT / "engine", other, ignore=shutil.ignore_patterns("__pycache__"))
        with (other / "errors.py").open("a") as file:
            file.write("# another version\n")
    else:  # the environment has one, which this hides
        other.mkdir(parents=True)
        (other / "__init__.py").write_text("raise ModuleNotFoundError('No module named engine')\n", encoding="utf-8")
    with worker_of(scheduler[0], other.parent, tmp_path / "worker.log"):
        process = command(text, ["--dask", scheduler[0]])
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and len(errors.splitlines()) == 1
    assert json.loads(out)["error"]["code"] == "scale.other_engine"


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "local:0", "nowhere"])
def test_no_scheduler_is_said_in_one_line(
    text: Path, address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_workers, "_CONNECT", 2)
    is_seen = address.endswith(":9")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_seen)
    assert main(training(text, ["--dask", address])) == 2
    out, errors = capsys.readouterr()
    *waits, message = errors.splitlines()
    assert address in message and waits == [f"connecting to {address} (at most 2 s)"] * is_seen
    assert json.loads(out)["error"]["code"] == "scale.no_scheduler"


@pytest.mark.slow
def test_streaming_holds_a_part_of_the_corpus_only(tmp_path: Path) -> None:
    """20 MB of text, which take 440 MB when they are in memory; `make test-scale` goes on to 1 GB."""
    path = tmp_path / "corpus.txt"
    lines = [line for part in sorted((ROOT / "assets/corpora/ko").glob("*.txt")) for line in read_corpus(part)]
    write_corpus(lines, 20, path)
    found = run_training(path, ["--vocab-size", "64000", "--stream", "--threads", "2"])
    assert int(str(found["anonymous_mb"])) < 300
