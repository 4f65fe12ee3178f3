"""Regular expressions of the user's own: one allowance of time and memory for a whole text."""

import sys
from pathlib import Path

import pytest

from engine.cli import main
from engine.corpus import own_pattern
from engine.corpus.own_pattern import OwnPattern, pattern_allowance
from engine.errors import InputError

SLOW, DEEP, NESTED = r"(가|가가)*$", r"(?R)|a", r"(a+)+$"
LINE = "가" * 200 + "나"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the command line, whatever a test of the app has set up in this process."""
    monkeypatch.setattr(own_pattern, "_runners", [own_pattern.cut_here])


def _refused(pattern: str, texts: list[str], seconds: float, max_bytes: int | None = None) -> str:
    with pytest.raises(InputError) as caught, pattern_allowance(seconds, max_bytes):
        OwnPattern(pattern).lines(texts)
    return caught.value.code


def test_lines_share_one_allowance() -> None:
    # No line takes as long as is allowed, all of them together take longer.
    assert _refused(r"\p{L}", ["나무 " * 50] * 20_000, 0.2) == "pattern.slow"


def test_calls_share_what_a_command_may_use() -> None:
    with pattern_allowance(0.2):
        with pytest.raises(InputError, match=r"0\.2 s"):
            OwnPattern(SLOW)(LINE)
        with pytest.raises(InputError, match=r"0\.2 s"):
            OwnPattern(r"\p{L}+")("나무 나무")
    assert OwnPattern(r"\p{L}+")("나무 나무") == [2, 3, 5]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how large a process is")
def test_memory_is_limited() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    assert _refused(DEEP, ["bbb"], 60, 100_000_000) == "pattern.memory"
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_a_pattern_that_only_looks_bad_still_cuts() -> None:
    with pattern_allowance(60):
        assert OwnPattern(NESTED).lines(["a" * 40 + "b", "aa"]) == [[41], [2]]


@pytest.mark.parametrize("pattern", ["(가", "a" * 20_001, "(" * 5000 + ")" * 5000])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(InputError) as caught:
        OwnPattern(pattern)
    assert caught.value.code == "pattern.invalid"


@pytest.mark.parametrize(("pattern", "word"), [(SLOW, "--pattern-seconds"), (DEEP, "")])
def test_the_command_line_says_it_in_one_line(
    pattern: str, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(f"{LINE}\nbbb\n" * 3, encoding="utf-8")
    options = ["--vocab-size", "300", "--pretokenizer", pattern, "--pattern-seconds", "0.5"]
    assert main(["train", str(corpus), "--output", str(tmp_path / "x.tok"), *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "the pre-tokenization pattern" in error
    assert word in error
    assert not (tmp_path / "x.tok").exists()


def test_one_encoding_command_has_one_allowance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, model, text = (tmp_path / name for name in ("corpus.txt", "x.tok", "text.txt"))
    corpus.write_text("가 나\n" * 9, encoding="utf-8")
    options = ["--algorithm", "words", "--vocab-size", "3", "--pretokenizer", SLOW]
    assert main(["train", str(corpus), "--output", str(model), *options]) == 0
    text.write_text("가 나\n" + f"{LINE}\n" * 9, encoding="utf-8")
    capsys.readouterr()
    assert main(["encode", "--model", str(model), "--pattern-seconds", "0.5", str(text)]) == 2
    shown = capsys.readouterr()
    assert shown.out.count("\n") == 1
    assert "0.5 s" in shown.err


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "soon"])
def test_an_allowance_is_a_number_of_seconds(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["encode", "--model", "x.tok", "--pattern-seconds", value])
    assert ended.value.code == 2
    assert "--pattern-seconds" in capsys.readouterr().err
