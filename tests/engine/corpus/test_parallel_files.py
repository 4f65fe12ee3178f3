"""Parallel texts of a visitor: a file a language, or a table with a column a language; what does not match is named."""

import pytest

from engine.corpus.reading.parallel import aligned_lines, language_of, open_parallel
from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError


@pytest.mark.parametrize(
    ("name", "language"), [("ko.txt", "ko"), ("news.ko.TXT", "news.ko"), ("ko.txt.gz", "ko"), ("v1.ko", "v1.ko")]
)
def test_a_file_is_called_by_its_name(name: str, language: str) -> None:
    assert list(open_parallel("가\r\n나\n".encode(), name).items()) == [(language_of(name), ["가", "나"])]
    assert language_of(name) == language


def test_a_table_has_a_language_a_column() -> None:
    table = 'id,ko,en\n1,"가\n나",ga na\n2,,\n3,다,\n'.encode()
    assert open_parallel(table, "a.csv") == {"ko": ["가 나", "", "다"], "en": ["ga na", "", ""]}
    with pytest.raises(SizeError):
        open_parallel(table, "a.csv", 35)


@pytest.mark.parametrize(
    ("texts", "code", "said"),
    [
        ({"ko": ["가"]}, "parallel.few", "got 1"),
        ({}, "parallel.few", "got 0"),
        ({"ko": ["가", "나"], "en": ["a"]}, "parallel.length", "line 2 of ko"),
        ({"ko": ["가", "", "나"], "en": ["a", "b", "c"]}, "parallel.gap", "line 2 of ko is empty, but that of en"),
        ({"ko": [""], "en": []}, "parallel.empty", "empty"),
    ],
)
def test_what_does_not_match_is_named(texts: dict[str, list[str]], code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        aligned_lines(texts)
    assert caught.value.code == code and said in str(caught.value)


def test_lines_that_are_empty_everywhere_are_left_out() -> None:
    assert aligned_lines({"ko": ["가", "", "나", ""], "en": ["a", " ", "b"]}) == {"ko": ["가", "나"], "en": ["a", "b"]}
