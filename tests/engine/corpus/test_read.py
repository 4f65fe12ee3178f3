"""Decoding whatever a linguist's disk holds, and saying what does not fit."""

import pytest

from engine.corpus.normalize import normalization_changes, normalize
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import decode_bytes, read_lines
from engine.errors import InputError

_TEXT = "그 말은 틀렸어.\n대한민국에서 ABC 12\n"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (_TEXT.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + _TEXT.encode(), "utf-8"),
        (_TEXT.encode("utf-16"), "utf-16"),
        (_TEXT.encode("utf-16-le"), "utf-16-le"),
        (_TEXT.encode("utf-16-be"), "utf-16-be"),
        (_TEXT.encode("cp949"), "cp949"),
        (b"", "utf-8"),
        ("a b".encode("utf-16-be") * 2, "utf-16-be"),
    ],
)
def test_encodings_are_found_out(data: bytes, name: str) -> None:
    text, found = decode_bytes(data)
    assert found == name
    assert text == ("a ba b" if len(data) == 12 else _TEXT if data else "")


@pytest.mark.parametrize("text", ["a\x00b", "a\x00b\n" * 50, "고구마\x00는 맛있다\n" * 5, "말\x00\n" * 900])
def test_nul_bytes_alone_do_not_make_a_text_utf_16(text: str) -> None:
    assert decode_bytes(text.encode()) == (text, "utf-8")


def test_bytes_that_fit_nothing_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match="0xFF at offset 2"):
        decode_bytes(b"ab\xff\xff\xff")
    with pytest.raises(InputError, match="not text in utf-8"):
        decode_bytes("가".encode("cp949"), "utf-8")
    with pytest.raises(InputError, match="unknown encoding"):
        decode_bytes(b"", "latin-9")


def test_lines_end_at_line_feeds_and_carriage_returns_only() -> None:
    assert split_lines("a\r\nb\u2028c\x0bd\n") == ["a", "b\u2028c\x0bd"]
    assert split_lines("a\rb\n\rc\r") == ["a", "b", "", "c"]
    assert split_lines("") == []
    assert split_lines("a\n\nb") == ["a", "", "b"]


def test_a_missing_file_is_one_clear_line(tmp_path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_lines(tmp_path / "none.txt")


def test_normalization_shows_what_it_changes() -> None:
    decomposed = normalize("한글 말", "nfd")
    assert len(decomposed) == 10
    n_lines, changes = normalization_changes([decomposed, "abc", decomposed], "nfc")
    assert n_lines == 2
    assert [(change.after, change.times) for change in changes] == [("말", 2), ("한글", 2)]
    with pytest.raises(InputError):
        normalize("a", "nfkc")
