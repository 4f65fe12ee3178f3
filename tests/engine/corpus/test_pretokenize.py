"""The kernel of the named patterns against the `regex` module; custom patterns; nothing is ever lost."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.tiktoken_patterns import TIKTOKEN_PATTERNS
from engine.errors import InputError
from engine.pretokenization import get_pretokenizer

_PIECES = [
    "가나",
    "다",
    " ",
    "  ",
    "\t",
    "\u3000",
    "\xa0",
    "a",
    "It's",
    "'",
    "'ll",
    "re",
    "12",
    "½",
    ".",
    "?!",
    "…",
    "ㅋ",
    "é",
    "e\u0301",
    "😀",
    "\x00",
    "Ⅳ",
    "\r",
    "_",
    "==",
]
_TEXT = (
    st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=12)
    .map("".join)
    .filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text) and "\n" not in text)
)


def _oracle(pattern: str, text: str) -> list[str]:
    """All matches, and what lies between them."""
    pieces, at = [], 0
    for match in regex.finditer(pattern, text):
        pieces += [text[at : match.start()], match.group()]
        at = match.end()
    return [piece for piece in [*pieces, text[at:]] if piece]


@given(pieces=st.lists(st.sampled_from([*_PIECES, "\n", "\r\n", "1234", "'S", "'\u017f", "'lL"]), max_size=12))
def test_the_kernel_of_cl100k_cuts_as_its_regular_expression(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert get_pretokenizer("cl100k").split(text) == _oracle(TIKTOKEN_PATTERNS["cl100k"].plain, text)


@pytest.mark.parametrize("name", PRESETS)
@given(text=_TEXT)
def test_the_kernel_cuts_as_the_regular_expression(name: str, text: str) -> None:
    pieces = get_pretokenizer(name).split(text)
    assert pieces == _oracle(PRESETS[name].pattern, text)
    assert "".join(pieces) == text


_PAPERS = r"'s|'t|'re|'ve|'m|'ll|'d|(?: ?\p{L}+)+(?:[.?!])?|\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_JOINED = r"'s|'t|'re|'ve|'m|'ll|'d|(?: ?[\p{L}\p{N}]+)+(?:[.?!])?| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize(("name", "nested"), [("thunder-tok", _PAPERS), ("thunder-tok-joined", _JOINED)])
@given(text=_TEXT)
def test_the_linear_pattern_equals_the_nested_one(name: str, nested: str, text: str) -> None:
    assert _oracle(nested, text) == _oracle(PRESETS[name].pattern, text)
    assert get_pretokenizer(name).split(text) == regex.findall(nested, text)


def test_spaced_words_and_final_punctuation_stay_together() -> None:
    split = get_pretokenizer("thunder-tok").split
    assert split("고구마는 다양한 음식입니다. 그럼요!") == ["고구마는 다양한 음식입니다.", " 그럼요!"]
    assert split("커피 2잔") == ["커피", " ", "2", "잔"]  # the pattern does not join numbers and words
    joined = get_pretokenizer("thunder-tok-joined").split
    assert joined("커피 2잔 주세요. 2025년 3월!") == ["커피 2잔 주세요.", " 2025년 3월!"]
    assert get_pretokenizer("thunder-tok-readme").split("음식입니다.") == ["음식입니다", "."]
    assert get_pretokenizer("gpt2").split("Just drank 2 cups!") == ["Just", " drank", " 2", " cups", "!"]


def test_code_keeps_indentation_names_and_operators_together() -> None:
    line = "        if self.n_tokens2 >= 10:  # 가나 1_000"
    assert get_pretokenizer("code").split(line) == [
        "        ",
        "if",
        " self",
        ".",
        "n_tokens2",
        " >=",
        " 10",
        ":",
        "  ",
        "#",
        " 가나",
        " 1",
        "_000",
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_agrees_with_regex_on_real_text(name: str, shared_data) -> None:
    text = (shared_data / "ko_klue_casual.txt").read_text(encoding="utf-8")
    for line in text.split("\n")[:3000]:
        assert get_pretokenizer(name).split(line) == _oracle(PRESETS[name].pattern, line)


def test_a_pattern_of_ones_own_loses_nothing() -> None:
    assert get_pretokenizer(r"\p{L}+").split("가 나,") == ["가", " ", "나", ","]
    assert (
        get_pretokenizer(r"x*").split("가나") == ["가", "나"]
        or "".join(get_pretokenizer(r"x*").split("가나")) == "가나"
    )


def test_bad_patterns_are_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="not a valid regular expression"):
        get_pretokenizer("(가")
    with pytest.raises(InputError, match="empty"):
        get_pretokenizer("")
    with pytest.raises(InputError, match="backtracks too much"):
        get_pretokenizer(r"(가|가가)*$").split("가" * 4000 + "나")


def test_lone_surrogates_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match=r"U\+D800.*character 1"):
        get_pretokenizer("gpt2").split("가\ud800")
