"""Words, characters and bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.arrays import count_pretokens
from engine.errors import InputError
from engine.merges.plain import Utf8Bytes, train_characters, train_words
from engine.merges.trainer import toy_pretokens
from engine.pretokenization import get_pretokenizer
from tests.engine.merges.test_bpe import any_text, assert_tiles

few = settings(max_examples=60, deadline=None, derandomize=True)

LINES = ["나는 밥을 먹는다", "나는 물을 마신다", "밥을 나는"]


def pretokens():
    return count_pretokens(LINES, get_pretokenizer("whitespace"))


def test_the_most_frequent_words_have_an_id() -> None:
    model = train_words(pretokens(), 4)
    assert [token.label for token in model.tokens] == ["[UNK]", "나는", "밥을", "먹는다"]
    assert model.counts == [3, 2, 1]
    encoding = model.encode(" 나는  물을 밥을 ")
    assert encoding.ids == [1, 0, 2]
    assert encoding.spans == [(0, 7), (7, 15), (15, 23)]
    assert model.decode(encoding.ids) == "나는 [UNK] 밥을"
    assert model.name == "Words" and model.vocab_size == 4


def test_words_of_another_pretokenizer_and_form() -> None:
    lines = ["한국어, 좋다!"]
    model = train_words(count_pretokens(lines, get_pretokenizer("gpt2")), 10, "gpt2", "nfc")
    assert [model.token_label(i) for i in model.encode("좋다,").ids] == ["좋다", ","]


def test_characters_and_what_is_unknown() -> None:
    model = train_characters(toy_pretokens({"가나가": 2, "다": 1}))
    assert [token.label for token in model.tokens] == ["[UNK]", "가", "나", "다"]
    assert model.counts == [4, 2, 1]
    small = train_characters(toy_pretokens({"가나가": 2, "다": 1}), 3)
    assert small.encode("가다😀").ids == [1, 0, 0]
    assert small.encode("가다😀").spans == [(0, 3), (3, 6), (6, 10)]
    assert small.decode([1, 0]) == "가[UNK]"
    assert model.decode(model.encode("다나가").ids) == "다나가"


def test_what_an_emoji_costs() -> None:
    model = Utf8Bytes()
    assert [len(model.encode(text).ids) for text in ("☕", "😀", "👨‍👩‍👧")] == [3, 4, 18]
    assert model.encode("é").ids == [0xC3, 0xA9]
    assert model.decode([0xC3]) == "<0xC3>" and model.token_label(0x41) == "A"
    with pytest.raises(InputError):
        model.encode("\ud800")


@few
@given(any_text)
def test_spans_tile_and_texts_come_back(text: str) -> None:
    words, characters, utf8 = train_words(pretokens(), 6), train_characters(pretokens()), Utf8Bytes()
    for model in (words, characters, utf8):
        assert_tiles(model.encode(text).spans, text)
    assert utf8.decode(utf8.encode(text).ids) == text
    assert len(characters.encode(text).ids) == len(text)


@few
@given(st.lists(st.sampled_from(["나는", "밥을", "마신다"]), max_size=6))
def test_known_words_come_back(words: list[str]) -> None:
    model = train_words(pretokens(), 100)
    assert model.decode(model.encode(" ".join(words)).ids) == " ".join(words)


def test_nothing_to_learn_from() -> None:
    empty = count_pretokens([], get_pretokenizer("whitespace"))
    with pytest.raises(InputError, match="no words"):
        train_words(empty, 10)
    with pytest.raises(InputError, match="no text"):
        train_characters(empty)
    with pytest.raises(InputError, match="at least 2"):
        train_words(pretokens(), 1)
    with pytest.raises(InputError, match="at least 2"):
        train_characters(pretokens(), 1)
