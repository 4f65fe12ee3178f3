"""Regular expressions of the user's own, or of a tokenizer file: one allowance of time and memory for a whole text."""

import json
import sys
from pathlib import Path

import pytest
import regex

from engine.cli import main
from engine.corpus.pretokens import own_pattern
from engine.corpus.pretokens.known_patterns import KNOWN_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern, pattern_allowance
from engine.errors import InputError
from engine.model_files import tokenizer_from_bytes

SLOW, DEEP, NESTED = r"(가|가가)+$", r"(?R)|a", r"(a+)+$"
LINE = "가" * 200 + "나"
PLACES = ("normalizer", "pre_tokenizer", "decoder")


def tokenizer_with(place: str, pattern: str) -> bytes:
    """A tokenizer.json with a regular expression in one of PLACES."""
    change = (
        {"type": "Replace", "content": " "} if place != "pre_tokenizer" else {"type": "Split", "behavior": "Isolated"}
    )
    vocabulary = {text: i for i, text in enumerate(["<unk>", "가", "나", "bbb", LINE])}
    model = {"type": "WordPiece", "vocab": vocabulary, "unk_token": "<unk>", "continuing_subword_prefix": "##"}
    return json.dumps({place: {**change, "pattern": {"Regex": pattern}}, "model": model}).encode()


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the command line, whatever a test of the app has set up in this process."""
    monkeypatch.setattr(own_pattern, "_runners", [own_pattern.find_here])


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


@pytest.mark.parametrize("pattern", ["(가", "a" * 20_001, "(" * 5000 + ")" * 5000, "(?u)(?a)a", "\ud800"])
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
    assert error.count("\n") == 1 and "a regular expression" in error
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


@pytest.mark.parametrize("place", PLACES)
def test_patterns_of_a_tokenizer_file_have_the_same_allowance(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, text = tmp_path / "tokenizer.json", tmp_path / "text.txt"
    text.write_text(f"{LINE}\nbbb\n", encoding="utf-8")
    monkeypatch.setattr("engine.cli.PATTERN_BYTES", 100_000_000)
    words = {SLOW: "0.5 s", DEEP: "'(?R)', which cannot be matched exactly as Oniguruma does"}
    for pattern, seconds in ((SLOW, "0.5"), (DEEP, "60")):
        model.write_bytes(tokenizer_with(place, pattern))
        assert main(["encode", "--model", str(model), "--pattern-seconds", seconds, str(text)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and "a regular expression" in error and words[pattern] in error, error


def test_all_lines_share_what_patterns_of_a_file_may_use() -> None:
    tokenizer = tokenizer_from_bytes(tokenizer_with("normalizer", r"\p{L}(?=x)"))
    with pytest.raises(InputError, match=r"over 0\.1 s"), pattern_allowance(0.1):
        tokenizer.encode_lines(["나무 " * 2000] * 2000)


def test_known_patterns_use_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_pattern, "_runners", [lambda pattern, texts: pytest.fail("run as a stranger's")])
    text = "It's 10,000 나무, HTTPRequest\n\n  다!"
    for pattern in KNOWN_PATTERNS:
        tokenizer = tokenizer_from_bytes(tokenizer_with("pre_tokenizer", pattern))
        with pattern_allowance(1e-9):
            assert tokenizer.encode(text).ids, pattern


def test_a_pattern_that_looks_from_the_right_gives_its_matches_from_the_left() -> None:
    assert OwnPattern("(?r)나|무").matches(["나무, 나"]) == [[(0, 1), (1, 2), (4, 5)]]


def test_replacing_is_that_of_the_regex_module() -> None:
    for pattern in ("a*", "(?<=b)", "a|ab", "^", "x"):
        tokenizer = tokenizer_from_bytes(tokenizer_with("decoder", pattern).replace(b"bbb", b"abcab"))
        assert tokenizer.decode([3]) == regex.sub(pattern, " ", "abcab")


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "soon"])
def test_an_allowance_is_a_number_of_seconds(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["encode", "--model", "x.tok", "--pattern-seconds", value])
    assert ended.value.code == 2
    assert "--pattern-seconds" in capsys.readouterr().err
