"""The kernel of the named patterns against the `regex` module; custom patterns; nothing is ever lost."""

import unicodedata

import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.arrays import _intern, cut_lines, offsets
from engine.corpus.pretokens.character_classes import LETTER, LOWER, NUMBER, OTHER, SPACE, UPPER, character_classes
from engine.corpus.pretokens.known_patterns import GPT2_PATTERN, PUBLIC_PATTERNS, TIKTOKEN_PATTERNS
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import to_codes
from engine.corpus.pretokens.scan import RULES
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


# As they are in tiktoken, in Llama 3, Qwen 2 to 3 and Tekken.
_PUBLIC = {
    "gpt2": GPT2_PATTERN,
    "cl100k": TIKTOKEN_PATTERNS["cl100k"].exact,
    "cl100k, portable": TIKTOKEN_PATTERNS["cl100k"].plain,
    "o200k": TIKTOKEN_PATTERNS["o200k"].exact,
    **{name: PUBLIC_PATTERNS[name] for name in ("llama3", "qwen3", "mistral_v3")},
}
_SPACES = list("\t\n\v\f\r \x1c\x85\xa0\u1680\u180e\u2003\u200b\u2028\u2029\u202f\u205f\u3000\ufeff")
# Contractions, also with the long s, and letters that only fold or lower-case to one of theirs.
_CONTRACTED = ["'S", "'\u017f", "'\u015f", "'lL", "'Re", "'VE", "'\u212a", "'k", "'D", "'\u0130", "'\ufb06"]
# Letters of all classes, marks, numbers of other scripts; the same beyond U+FFFF.
_OF_ALL_CLASSES = [
    *("A", "B", "b", "\u01c5", "\u02b0", "\u00aa", "\u05d0", "\u3005", "\u0295"),
    *("\u0301", "\u0903", "\u20dd", "\ufe0f", "1234", "\u0663", "\u3007", "\u00b2", "\u216b", "/", "\r\n/"),
    *("\U0001d400", "\U0001d41a", "\U00010428", "\U0001e900", "\U00020000", "\U0001d165", "\U0001d7d8", "\U0001f1f0"),
]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", _PUBLIC.values(), ids=_PUBLIC)
@given(
    pieces=st.lists(
        st.sampled_from([*_PIECES, *_SPACES, *_CONTRACTED, *_OF_ALL_CLASSES])
        | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        max_size=14,
    )
)
def test_the_kernel_cuts_as_a_public_regular_expression(pattern: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert pattern in RULES
    assert get_pretokenizer(pattern).split(text) == regex.findall(pattern, text)


def _all_code_points() -> str:
    return "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


_CLASS_PATTERNS = {
    LETTER: r"\p{L}",
    NUMBER: r"\p{N}",
    SPACE: r"\s",
    OTHER: r"[^\p{L}\p{N}\s]",
    UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
    LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
}


@pytest.mark.parametrize("bit", _CLASS_PATTERNS)
def test_the_classes_of_all_code_points(bit: int) -> None:
    found = "".join(regex.findall(f"{_CLASS_PATTERNS[bit]}+", _all_code_points()))
    ours = np.flatnonzero(character_classes() & bit)
    assert np.array_equal(ours[(ours < 0xD800) | (ours >= 0xE000)], to_codes(found))


@pytest.mark.slow
@pytest.mark.parametrize("bit", [LETTER, NUMBER, SPACE, UPPER, LOWER])
def test_tiktoken_has_the_same_classes_of_assigned_code_points(bit: int) -> None:
    # It drops what a pattern does not match, so that what remains is the class, in its version of Unicode.
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("", pat_str=f"{_CLASS_PATTERNS[bit]}+", mergeable_ranks=ranks, special_tokens={})
    theirs = set(encoding.decode(encoding.encode_ordinary(_all_code_points())))
    differ = theirs ^ set(map(chr, np.flatnonzero(character_classes() & bit).tolist()))
    differ = {c for c in differ if unicodedata.category(c) not in ("Cn", "Cs")}  # Python's Unicode is older than both
    assert differ <= {"\u0295"}  # a small letter until Unicode 16, without case since


@pytest.mark.slow
@pytest.mark.parametrize("name", ["o200k", "cl100k", "qwen3"])
def test_every_code_point_in_the_text_of_a_public_pattern(name: str) -> None:
    # Most are unassigned or private; every 61st of those.
    codes = (c for c in _all_code_points() if ord(c) % 61 == 0 or unicodedata.category(c) not in ("Cn", "Co"))
    text = "".join(f"B{c}a'{c}" for c in codes)
    ends = np.cumsum([len(match) for match in regex.findall(_PUBLIC[name], text)])
    assert np.array_equal(
        get_pretokenizer(name if name in RULES else _PUBLIC[name]).boundaries(to_codes(text))[1:], ends
    )


def test_only_the_literal_pattern_has_a_rule() -> None:
    for pattern in _PUBLIC.values():
        for other in (f"(?:{pattern})", f"{pattern}|x"):
            assert get_pretokenizer(other).name not in RULES


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


@pytest.mark.slow
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


@pytest.mark.parametrize("sizes", [(), (0,), (1 << 14,), (0, 1 << 14, 0, 3, 0), (5, (1 << 15) + 1, 7, 1 << 14, 0)])
def test_lines_that_are_joined_some_at_a_time_are_all_there(sizes: tuple[int, ...]) -> None:
    lines = [letter * size for letter, size in zip("a😀가b🎈", sizes, strict=False)]
    cut = cut_lines(lines, get_pretokenizer("gpt2"))
    np.testing.assert_array_equal(cut.codes, to_codes("".join(lines)))
    words = ["".join(map(chr, cut.codes[begin:end])) for begin, end in zip(cut.begin, cut.end, strict=True)]
    cuts = zip(cut.line_ptr.tolist(), cut.line_ptr[1:].tolist(), strict=False)
    assert ["".join(words[number] for number in cut.numbers[begin:end]) for begin, end in cuts] == lines
    with pytest.raises(InputError, match="surrogate"):
        cut_lines([*lines, "\ud800"], get_pretokenizer("gpt2"))


@pytest.mark.parametrize("threads", [2, 3, 9])
def test_lines_are_cut_alike_on_any_number_of_threads(threads: int) -> None:
    pretokenizer = get_pretokenizer("gpt2")
    for lines in ([], [""], ["가"], ["".join(_PIECES[k % 7 :: 3]) for k in range(40)] * 3):
        alone, together = cut_lines(lines, pretokenizer), cut_lines(lines, pretokenizer, threads)
        for one, other in zip(alone, together, strict=True):
            np.testing.assert_array_equal(one, other)


@given(st.lists(st.text(st.sampled_from("\0a가\ufffd\ufffe\uffff\U0010ffff"), max_size=10), max_size=40))
def test_ranges_are_numbered_in_order_of_first_appearance(words: list[str]) -> None:
    bounds = offsets(list(map(len, words)))
    ids, first = _intern(to_codes("".join(words)), bounds[:-1], bounds[1:])
    number = {word: k for k, word in enumerate(dict.fromkeys(words))}
    assert ids.tolist() == [number[word] for word in words]
    assert first.tolist() == [words.index(word) for word in number]


def test_many_distinct_ranges_are_numbered_while_the_table_grows() -> None:
    codes = np.tile(np.arange(5000, dtype=np.int32), 2)
    codes.flags.writeable = False
    begin = np.arange(codes.size)
    ids, first = _intern(codes, begin, begin + 1)
    assert (ids == codes).all() and (first == begin[:5000]).all()
