"""Commands that read their texts block by block, on workers: the same figures, and nothing is done twice."""

import json
import signal
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cli import main
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import installed_analysers
from engine.corpus.reading.read import read_corpus
from engine.errors import InputError
from engine.measure.corpus_units import UNITS, corpus_units, line_units
from engine.measure.encoded import encode_lines
from engine.measure.fertility_table import counted_rows, fertility_rows
from engine.model_files import load_source, load_tokenizer, model_source
from engine.scale import by_block, dask_workers, inputs
from engine.scale.analyses import count_texts, count_tokens
from engine.scale.block_units import BlockUnits, UnitKind
from engine.scale.by_block import BlockCorpus, BlockTask, BlockWorkers, file_parts
from engine.scale.workers import Streaming
from tests.conftest import wait_until
from tests.engine.scale.test_scale import engine
from tests.engine.unigram.test_trainer import sentences
from tests.load.scale import worker_processes

_MODELS = ("public:bert", "shipped:thunder-tok-8k")
_TEXTS = {
    "plain.txt": "가나 다라\n\n   \n마바 사아자차\r\n끝에 줄 끝이 없다".encode(),
    "empty.txt": b"",
    "marked.txt": b"\xef\xbb\xbf" + "하나 둘\n셋\n".encode(),
    "old.txt": "한국어 문장은 짧습니다.\n또 있습니다.\n".encode("cp949"),
    "zh.txt": "我们去学校。\n他们不去。\n".encode(),
    "table.csv": "text,year\n가 나,1998\n다라,1999\n마바 사,1998\n".encode(),
    "tagged.txt": "나무에\t나무/NNG + 에/JKB\n꽃이\t꽃/NNG + 이/JKS\n폈다.\t피/VV + 었/EP + 다/EF + ./SF\n".encode(),
}


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files in blocks of 150 bytes or a line, and an archive of two."""
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 150)
    for name, data in _TEXTS.items():
        (tmp_path / name).write_bytes(data * 9)
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("a.txt", "가나다\n라마")
        archive.writestr("b.txt", "바사 아자\n")
    return [str(tmp_path / name) for name in (*_TEXTS, "both.zip")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[BlockTask]:
    """`--dask` gets threads of this process; the tasks that they do, in the order of their beginning."""
    monkeypatch.setattr(dask_workers, "dask_workers", lambda _: Streaming(str(tmp_path / "states"), 2))
    tasks: list[BlockTask] = []
    result = by_block._result
    monkeypatch.setattr(by_block, "_result", lambda task, *given: tasks.append(task) or result(task, *given))
    return tasks


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def interrupted_after(monkeypatch: pytest.MonkeyPatch, n_results: int) -> None:
    """Ctrl-C when so many results are stored."""
    write = by_block.write_whole
    left = iter(range(n_results))

    def stop(path: Path, data: bytes) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(by_block, "write_whole", stop)


def test_fertility_is_the_same_to_the_last_digit(texts: list[str], here: list[BlockTask], capsys) -> None:
    for options in (
        ["--text", *texts[:5], *texts[6:]],
        ["--text", *texts[:5], "--words", "graphemes", "--seed", "7"],
        ["--text", texts[5], "--column", "text", "--by", "year"],
        ["--text", texts[5], "--column", "text", "--where", "year=1998"],
    ):
        arguments = ["fertility", "--model", *_MODELS, *options]
        expected = run(capsys, *arguments)
        assert run(capsys, *arguments, "--dask", "local:2") == expected
    assert len(here) > 30


def test_words_are_those_of_the_whole_text_even_if_it_begins_in_another_script(
    texts: list[str], here: list[BlockTask], capsys
) -> None:
    Path(texts[0]).write_text("가나 다라\n" * 20 + "我们去学校。\n" * 60)
    arguments = ["fertility", "--model", *_MODELS, "--text", texts[0]]
    expected = run(capsys, *arguments)
    assert "character" in str(expected)
    assert run(capsys, *arguments, "--dask", "local:2") == expected


def test_an_audit_counts_the_same_tokens(texts: list[str], here: list[BlockTask], capsys) -> None:
    arguments = ["audit", "--model", _MODELS[1], "--text", *texts[:5], *texts[6:]]
    assert run(capsys, *arguments, "--dask", "local:2") == run(capsys, *arguments)
    assert len(here) > 10
    counts = [encode_lines(load_tokenizer(_MODELS[1]), read_corpus(path)).counts() for path in texts[:5]]
    rows = run(capsys, "audit", "--model", _MODELS[1], "--text", *texts[:5], "--list", "unused")
    assert [row["id"] for row in rows] == np.flatnonzero(sum(counts) == 0).tolist()


@pytest.mark.parametrize("model", _MODELS)
def test_ids_are_written_with_the_ends_of_lines(texts: list[str], here, tmp_path, capsys, model: str) -> None:
    output, tokenizer = tmp_path / "ids.npy", load_tokenizer(model)
    for text in (texts[0], texts[1], texts[3]):  # of many blocks, of none, in CP949
        assert main(["encode", "--model", model, text, "--output", str(output)]) == 0
        batch = tokenizer.encode_lines(read_corpus(text))
        ids, ends = np.load(output), np.load(tmp_path / "ids.lines.npy")
        assert ids.tolist() == batch.ids.tolist() and ends.tolist() == batch.line_ptr.tolist()
        assert ids.dtype == np.uint16
    assert refused(capsys, "encode", "--model", model, texts[0], "--output", str(output)) == "encode.output"
    assert main(["encode", "--model", model, "--output", str(output)]) == 2
    assert main(["encode", "--model", model, texts[0], "--output", str(tmp_path / "missing" / "ids.npy")]) == 2
    assert "missing/ids.npy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--unit", "words"],
        ["--unit", "words", "--words", "characters", "--limit", "0"],
        ["--model", _MODELS[1], "--analyser", "none"],
        ["--unit", "words", "--parts", "2"],
        ["--model", _MODELS[1], "--analyser", "none", "--parts", "2", "--limit", "5"],
    ],
    ids=" ".join,
)
def test_what_is_key_is_the_same_to_the_last_digit(texts: list[str], here, capsys, options: list[str]) -> None:
    arguments = ["keyness", texts[0], texts[4], texts[1], "--against", texts[2], texts[3], texts[6], "--min-count", "1"]
    expected = run(capsys, *arguments, *options)
    assert len(expected) > 4 and run(capsys, *arguments, *options, "--dask", "local:2") == expected
    arguments = ["keyness", texts[5], "--column", "text", "--where", "year=1998", "--min-count", "1"]
    assert run(capsys, *arguments, *options, "--dask", "local:2") == run(capsys, *arguments, *options)


def test_texts_of_the_same_units_are_refused(texts: list[str], here, tmp_path, capsys) -> None:
    (tmp_path / "spaced.txt").write_bytes(_TEXTS["zh.txt"] * 4)
    (tmp_path / "rest.txt").write_bytes(_TEXTS["zh.txt"] * 5)
    both = [str(tmp_path / "spaced.txt"), str(tmp_path / "rest.txt")]
    for options in (["--unit", "words"], ["--model", _MODELS[1], "--analyser", "none"]):
        arguments = ["keyness", texts[4], *options, "--dask", "local:2"]
        assert refused(capsys, *arguments, "--against", *both) == "keyness.same"
        assert run(capsys, *arguments, "--against", *both[::-1], texts[0])
    words = ["--unit", "words", "--dask", "local:2", "--against", *both]
    assert refused(capsys, "keyness", texts[0], *words, "--where", "file=nowhere") == "files.none"
    assert refused(capsys, "keyness", texts[1], *words) == "keyness.empty"
    if installed_analysers():
        tokens = ["--model", _MODELS[1], "--analyser", next(iter(installed_analysers()))]
        assert refused(capsys, "keyness", texts[0], *tokens, *words[2:]) == "keyness.classes"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(alphabet="가나 다a\t쀍\u0301\r\n学", max_size=40), min_size=2, max_size=3),
    st.integers(1, 50),
    st.sampled_from(UNITS[:2]),
    st.integers(2, 4),
)
def test_where_files_are_cut_changes_no_unit(
    tmp_path_factory, contents: list[str], size: int, unit: str, n_parts: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    source = model_source(_MODELS[1]) if unit == "tokens" else None
    tokenizer = load_source(source) if source else None
    n_tokens = tokenizer.vocab_size if tokenizer else 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(inputs, "BLOCK_BYTES", size)
        workers, corpus = in_blocks(folder, contents)
        found = BlockUnits(workers, corpus, UnitKind(unit, source, n_tokens), "auto")
    lines = [read_corpus(name) for name in corpus.files.names]
    expected = corpus_units(corpus.files, [line_units(unit, own, tokenizer, "auto", None) for own in lines], n_tokens)
    every = tuple(range(len(lines)))
    assert found.types == expected.types and found.n_types == expected.n_types
    types = np.flatnonzero(expected.counts(every))[::-2]
    for chosen in (every, every[:1], every[1:]):
        assert np.array_equal(found.counts(chosen), expected.counts(chosen))
        for ours, theirs in zip(
            found.parted(chosen, types, n_parts), expected.parted(chosen, types, n_parts), strict=True
        ):
            assert np.array_equal(ours, theirs)
        assert found.are_same(chosen, every[:1]) == expected.are_same(chosen, every[:1])


def in_blocks(folder: Path, contents: list[str]) -> tuple[BlockWorkers, BlockCorpus]:
    """Files with these contents, read by threads."""
    paths = [str(folder / f"{number}.txt") for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        Path(path).write_bytes(content.encode())
    workers = BlockWorkers(Streaming(str(folder / "states"), 2), str(folder), lambda *_: None)
    blocks = workers.read(paths, None, None, ())
    parts, numbers = file_parts(blocks)
    files = CorpusFiles.of({part.name: part.n_lines for part in parts})
    return workers, BlockCorpus(blocks, files, numbers)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.text(alphabet="가나 다a\t쀍\u0301\r\n学", max_size=40), min_size=2, max_size=3),
    st.integers(1, 50),
    st.sampled_from(["auto", "eojeol", "characters", "graphemes"]),
)
def test_where_files_are_cut_changes_nothing(tmp_path_factory, contents: list[str], size: int, words: str) -> None:
    folder = tmp_path_factory.mktemp("cut")
    sources = [model_source(name) for name in _MODELS]
    models = [(name, load_source(source)) for name, source in zip(_MODELS, sources, strict=True)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(inputs, "BLOCK_BYTES", size)
        workers, corpus = in_blocks(folder, contents)
        texts = {"first": [0], "others": list(range(1, len(contents)))}
        found = counted_rows(models, *count_texts(workers, corpus, texts, sources, words))
        counts = count_tokens(workers, corpus.blocks, sources[0], models[0][1].vocab_size)
    lines = [read_corpus(name) for name in corpus.files.names]
    assert corpus.files.n_lines == tuple(map(len, lines))
    expected = {"first": lines[0], "others": [line for own in lines[1:] for line in own]}
    assert found == fertility_rows(models, expected, words)
    assert counts.tolist() == encode_lines(models[0][1], [line for own in lines for line in own]).counts().tolist()


def test_after_a_stop_only_what_is_missing_is_done(texts: list[str], here, tmp_path, monkeypatch, capsys) -> None:
    work = tmp_path / "work"
    arguments = ["audit", "--model", _MODELS[1], "--text", *texts[:5]]
    expected = run(capsys, *arguments)
    arguments += ["--dask", "local:2", "--work", str(work)]
    with monkeypatch.context() as patched:
        interrupted_after(patched, 3)
        patched.setattr("os._exit", sys.exit)
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
    assert stopped.value.code == 130 and f"goes on from {work}" in capsys.readouterr().err
    assert len(list(work.iterdir())) == 3
    here.clear()
    assert run(capsys, *arguments) == expected
    n_blocks = len(list(work.iterdir()))
    assert len(here) == n_blocks - 3 > 3
    here.clear()
    assert run(capsys, *arguments) == expected and not here
    with Path(texts[0]).open("a", encoding="utf-8") as file:
        file.write("\n더 있다\n")
    run(capsys, *arguments)
    assert {task.block.block.path for task in here} == {texts[0]} and len(here) < n_blocks
    here.clear()
    run(capsys, "audit", "--model", "public:gpt2", *arguments[3:])
    assert len(here) >= n_blocks


def test_a_temporary_folder_is_removed(texts: list[str], here, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    run(capsys, "audit", "--model", _MODELS[1], "--text", texts[0], "--dask", "local:2")
    assert here and not list((tmp_path / "temporary").iterdir())


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--json"]) == 2
    return str(json.loads(capsys.readouterr().out)["error"]["code"])


def test_what_is_wrong_is_said(texts: list[str], here, tmp_path, monkeypatch, capsys) -> None:
    arguments = ["audit", "--model", _MODELS[1], "--text", texts[0], "--dask", "local:2", "--work", str(tmp_path / "w")]
    assert refused(capsys, *arguments[:4], str(tmp_path / "none.txt"), *arguments[5:]) == "file.unreadable"
    assert refused(capsys, *arguments[:-1], texts[0]) == "file.unwritable"
    with monkeypatch.context() as patched:
        read = BlockWorkers.read

        def changing(self: BlockWorkers, *given) -> list[inputs.SurveyedBlock]:
            blocks = read(self, *given)
            Path(texts[0]).write_text("다른 글\n", encoding="utf-8")
            return blocks

        patched.setattr(BlockWorkers, "read", changing)
        assert refused(capsys, *arguments) == "scale.changed"
    run(capsys, *arguments)
    for path in (tmp_path / "w").iterdir():
        path.write_bytes(path.read_bytes()[:-30])
    assert refused(capsys, *arguments) == "scale.result"
    table = ["audit", "--model", _MODELS[1], "--text", texts[0], "--column", "text"]
    assert refused(capsys, *table) == refused(capsys, *table, "--dask", "local:2") == "file.named"


def test_a_model_is_loaded_from_what_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n가\n##나\n", encoding="utf-8")
    source = model_source(str(path))
    path.write_text("[UNK]\n다\n", encoding="utf-8")
    assert source.digest != model_source(str(path)).digest
    assert load_source(source).encode("가나").ids == [1, 2]
    with pytest.raises(InputError):
        model_source(str(tmp_path / "none"))


# What follows runs the command line: a cluster is several processes, which are killed here.


@pytest.fixture
def many(tmp_path: Path) -> list[str]:
    """Arguments for 16 files, each a block; the last has no line end."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(16):
        text = "\n".join(sentences(400, number))
        (folder / f"{number:02}.txt").write_text(text + "\n" * (number < 15), encoding="utf-8")
    return ["fertility", "--model", *_MODELS, "--text", *map(str, sorted(folder.iterdir())), "--json"]


@pytest.mark.slow
def test_a_command_that_was_killed_goes_on(many: list[str], tmp_path: Path, capsys) -> None:
    expected = run(capsys, *many[:-1])
    work = tmp_path / "work"
    arguments = [*many, "--dask", "local:2", "--work", str(work)]
    before: dict[Path, int] = {}
    for sent, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        process = engine(arguments)
        # Far from the end: a busy machine may look late.
        wait_until(lambda: len(list(work.glob("*.npz"))) > len(before) + 3)  # noqa: B023 (called at once)
        process.send_signal(sent)
        process.communicate(timeout=30)
        assert process.returncode == status
        assert all(path.stat().st_mtime_ns == when for path, when in before.items())
        before = {path: path.stat().st_mtime_ns for path in work.glob("*.npz")}
    process = engine(arguments)
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    assert json.loads(out) == expected
    assert 7 < len(before) < 48 == len(list(work.glob("*.npz")))  # letters, and each of two models
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


@pytest.mark.slow
def test_a_worker_that_dies_changes_nothing(many: list[str], tmp_path: Path, capsys) -> None:
    expected = run(capsys, *many[:-1])
    process = engine([*many, "--dask", "local:2", "--work", str(tmp_path / "work")])
    wait_until(lambda: len(list((tmp_path / "work").glob("*.npz"))) > 3)
    worker_processes(process.pid)[0].kill()
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    assert json.loads(out) == expected
