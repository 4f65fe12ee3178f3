"""Patterns of Oniguruma and fancy-regex against the engines themselves: the same matches, or refused by name."""

import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import regex
import tiktoken
from tokenizers import Regex, pre_tokenizers

from engine.corpus.pretokens.dialects import FANCY_REGEX, ONIGURUMA, Dialect, ForeignPattern
from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.errors import InputError
from tests.engine.interop.test_import_matrix import ODD, odd_lines

BOTH = pytest.mark.parametrize("dialect", [ONIGURUMA, FANCY_REGEX], ids=lambda dialect: dialect.title)
# A part of every range; and all that is assigned, with a part of what is not.
_SAMPLE = [*range(0x3100), *range(0xA000, 0xD800, 7), *range(0xE000, 0x20000, 13), 0x20000, 0x10FFFF]
_WHOLE = [*range(0x34000), *range(0xE0000, 0xE0200), *range(0x34000, 0x110000, 997)]
# Inside of long blocks of one script, the edges apart, where all have the same properties: every 97th stands for them.
_ALIKE = (
    *((0x3500, 0x4D00), (0x4F00, 0x9F00), (0xAD00, 0xD700), (0x17100, 0x18700), (0x20100, 0x2A600)),
    *((0x2B900, 0x2CE00), (0x2CF00, 0x2EB00), (0x30100, 0x31300), (0x31400, 0x32300)),
)
_LEFT_OUT = {code for begin, end in _ALIKE for code in range(begin, end) if code % 97}
_POSIX = [
    *("alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph"),
    *("lower", "print", "punct", "space", "upper", "xdigit", "word"),
]
CLASSES = [
    *(r"\w", r"\W", r"[\w]", r"[^\w]", r"[\W]", r"[^\W]", r"\d", r"[^\d]", r"\s", r"\S", r"\h", r"\H", r"[^\h]", "."),
    *(r"\p{L}", r"\P{L}", r"\p{^L}", r"[^\p{L}\p{N}]", r"[\p{L}&&[^\p{Han}]]", r"[^\p{L}&&[^\p{Han}]]"),
    *(r"[^(\s|[.,])]", r"[a[b-d]e]", r"[^a[b-d]e]", r"[a-z&&[^aeiou]]", r"[\p{L}--\p{Han}]", r"[\p{L}~~\p{Lu}]"),
    *(
        rf"\p{{{name}}}"
        for name in [
            *("Lu", "Ll", "Lo", "M", "Nd", "P", "S", "Sc", "Z", "C", "Cn", "Cf", "Co"),
            *("Han", "Hangul", "Hiragana", "Latin", "Common"),
            *("Alphabetic", "Uppercase", "Lowercase", "Emoji", "White_Space", "Punct", "Digit", "Letter"),
        ]
    ),
    *("(?i:k)", "(?i:s)", "(?i:i)", "(?i:[a-z])", "(?i:[^a-z])", "(?i:[가a])", r"(?i:\d)", r"\R", r"[\x41-\x5a]"),
    *(r"[!-/:-@\[-`{-~]", "[-a]", "[a-]", r"[\]a]", r"[\^a]", "[a^]", "[가-힣ㄱ-ㅎ]", r"\p{Script=Han}", r"\pL"),
    *(f"[[:{sign}{name}:]]" for name in _POSIX for sign in ("", "^")),
]
_COMPLEMENT = re.compile(r"\\[WSHP]|\[+:?\^|\(\?i:\[\^|\\p\{\^")
PATTERNS = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    *(
        r"\w+|[^\w\s]+",
        r"\b\w+\b",
        r"\B.",
        "^.",
        ".$",
        r"\A.",
        r".\z",
        r".\Z",
        "a++b?",
        r"\d{1,2}+",
        r"\d{2}?",
        "(?>a+)b",
    ),
    *(r"(?<=a)\s", r"(?<!a)\s", "(?<x>a)b", "(?m:a.)", "(?m)^a", "(?s).", "a(?i)b|c", "a(?i:b)c", "(?i:'re)", "a{,2}b"),
    *("a{1}{2}", "a+*b", "a{", "]", "}", r"\u{AC00}", r"[^\S\n]", "[a-c-e]", r"[#-\]]", "(?#x)a", "(ab)|가", r"\R+"),
]


@cache
def _text(is_whole: bool) -> str:
    codes = sorted({*_WHOLE} - _LEFT_OUT) if is_whole else _SAMPLE
    return "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)


def _theirs(pattern: str, dialect: Dialect) -> Callable[[str], str]:
    """What the engine matches of a text, one after the other."""
    if dialect is ONIGURUMA:
        splitter = pre_tokenizers.Split(Regex(pattern), "removed")

        def removed(text: str) -> str:
            left = [span for _, span in splitter.pre_tokenize_str(text)]
            begins, ends = [begin for begin, _ in left], [end for _, end in left]
            return "".join(text[a:b] for a, b in zip([0, *ends], [*begins, len(text)], strict=True))

        return removed
    ranks = {bytes([byte]): byte for byte in range(256)}
    peer = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: peer.decode(peer.encode_ordinary(text))


def _unless_refused(call: Callable[[Any], Any], *arguments: Any) -> Any:
    """None where the engine refuses the pattern, with whatever it raises."""
    try:
        return call(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a Rust panic is not an Exception
        return None


def _agree(pattern: str, dialect: Dialect, texts: list[str]) -> bool:
    """Whether it is matched, as the engine does; else it is refused."""
    try:
        ours = ForeignPattern(pattern, dialect).matches(texts)
    except InputError:
        return False
    if (theirs := _unless_refused(_theirs, pattern, dialect)) is None:
        return True
    for text, spans in zip(texts, ours, strict=True):
        expected = _unless_refused(theirs, text)
        found = "".join(text[begin:end] for begin, end in spans)
        assert expected is None or found == expected, (pattern, ascii(text[:99]))
    return True


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_classes_have_the_same_characters(dialect: Dialect, is_whole: bool) -> None:
    # A complement reads the same table, on all of which its class is tried.
    classes = [pattern for pattern in CLASSES if not (is_whole and _COMPLEMENT.match(pattern))]
    with pattern_allowance(600):
        taken = [_agree(pattern, dialect, [_text(is_whole)]) for pattern in classes]
    assert sum(taken) > 0.9 * len(classes)


@BOTH
def test_patterns_of_real_files_match_the_same(dialect: Dialect) -> None:
    lines = [*odd_lines(80, seed=3), *ODD, "a\n", "\na\n", "가a 1 ab²\n가\r\n", "aab baa  가가1"]
    lines += ["k\u212aKſs'ſS", "ab\u200dab"]
    taken = [_agree(pattern, dialect, lines) for pattern in PATTERNS]
    assert all(taken[:3]) and sum(taken) > 0.8 * len(PATTERNS)


_ATOMS = [
    *(
        "a",
        "b",
        "가",
        "1",
        " ",
        ".",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\d",
        "[ab]",
        "[^a]",
        r"[\w ]",
        r"[^\s\p{L}]",
        r"\p{L}",
    ),
    *(r"\p{N}", r"[\p{L}&&[^\p{Han}]]", "(?:a|가)", "(?i:k)", r"\b", "^", "$", "(?=a)", "(?!a)", "(?<=a)", "(?<! )"),
    *(r"\R", "[[:punct:]]", "(ab)", "(?>a|ab)", r"\h", "[0-9a-f]"),
]
_TIMES = [
    *("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{1,}"),
    *("*+", "++", "?+", "{1,2}+", "{2}?", "{1,3}?"),
]


@BOTH
@pytest.mark.parametrize("count", [150, pytest.param(500, marks=pytest.mark.slow)])
def test_any_pattern_matches_the_same(dialect: Dialect, count: int) -> None:
    dice = random.Random(count)
    lines = [*odd_lines(30, seed=4), "", "\na\n", "가a 1 ab²\n가\r\n", "aab baa  가가1"]
    for _ in range(count):
        sides = ["".join(dice.choice(_ATOMS) + dice.choice(_TIMES) for _ in range(dice.randint(1, 3))) for _ in "12"]
        _agree("|".join(sides[: dice.randint(1, 2)]), dialect, lines)


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        *((pattern, pattern) for pattern in (r"\K", r"\G", r"\X", r"\e", r"\0", r"\1", "(?~a", "(?x)", "(?i:é)")),
        *(("(a", "("), ("a)", ")"), ("[a", "a"), ("[]a]", "[]"), ("[a&&]", "&&"), ("[[:foo:]]", "[:foo:]"), ("*", "*")),
        *(
            (r"\p{Foo}", r"\p{Foo}"),
            ("(?i:ss)", "(?i:ss)"),
            ("a|", "||"),
            ("a??", "||"),
            ("[z-a]", "z-a"),
            ("\\", "\\"),
        ),
        *(("\u0558", "\u0558"), ("(" * 5000 + ")" * 5000, "((")),
    ],
)
def test_what_is_not_matched_exactly_is_named(pattern: str, part: str) -> None:
    with pytest.raises(InputError) as error:
        ForeignPattern(pattern, ONIGURUMA)
    assert error.value.code == "pattern.dialect" and error.value.values["part"] == part
    assert regex.search("Oniguruma does; choose another file", str(error.value))
