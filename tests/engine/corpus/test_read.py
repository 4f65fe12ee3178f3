"""Decoding whatever a linguist's disk holds, and saying what does not fit."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.normalize import normalization_changes, normalize
from engine.corpus.pretokens.pretokenize import text_of
from engine.corpus.reading.decoded import DecodedLines
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


_BYTES = (0x0A, 0x0D, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF)


@given(st.lists(st.sampled_from([*_BYTES, 0xF0, 0xF4, 0xF5, 0xFF]), max_size=12).map(bytes) | st.text().map(str.encode))
def test_lines_in_utf_8_are_those_of_the_text(data: bytes) -> None:
    try:
        lines = split_lines(data.decode())
    except UnicodeDecodeError as error:
        with pytest.raises(UnicodeDecodeError, match=re.escape(str(error))):
            DecodedLines(data)
        return
    decoded = DecodedLines(data)
    assert list(decoded) == lines == [text_of(decoded.codes[slice(*ends)]) for ends in pairwise(decoded.bounds)]
    assert (len(decoded), decoded[:2]) == (len(lines), lines[:2])


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
