r"""The presets: named pre-tokenization patterns, each as a regular expression and as the rule of a kernel.

The first alternative that matches at a position wins, so the order matters. Text that no alternative matches becomes
a separate pre-token, so nothing is lost.

To add a preset, write a rule, add it to `engine.corpus.pretokens.scan` and PRESETS, and its label to the catalogue
(`train.pretokenizer`).
The rules are tested against the `regex` module (tests/engine/corpus/test_pretokenize.py).
"""

from typing import NamedTuple

import numpy as np
import regex

from engine._jit import inlined
from engine.corpus.pretokens.character_classes import LETTER, NUMBER, OTHER, SPACE
from engine.errors import InputError

_BLANK, _APOSTROPHE = ord(" "), ord("'")
_D, _E, _L, _M, _R, _S, _T, _V = map(ord, "delmrstv")
_PERIOD, _QUESTION_MARK, _EXCLAMATION_MARK = map(ord, ".?!")
_UNDERSCORE, _LONG_S = ord("_"), ord("ſ")
FOLD = 0x20  # the bit that lower-cases an ASCII letter
_NOT_SPACE = OTHER | LETTER | NUMBER

# An alternative returns the end of its match at `i` in the line that ends at `hi`, or 0 if it does not match, so `or`
# between alternatives is the | of the patterns.


@inlined
def _contraction(codes, i, hi, fold):
    """`'s|'t|'re|'ve|'m|'ll|'d`; with `fold` FOLD instead of 0 in any case, where the long s is an s."""
    if codes[i] != _APOSTROPHE or i + 1 >= hi:
        return 0
    c = codes[i + 1] | fold
    if c in (_S, _T, _M, _D) or (fold and codes[i + 1] == _LONG_S):
        return i + 2
    if i + 2 < hi:
        d = codes[i + 2] | fold
        if (c == _R and d == _E) or (c == _V and d == _E) or (c == _L and d == _L):
            return i + 3
    return 0


@inlined
def _run(codes, i, hi, classes, kinds):
    r"""A run of characters of the given classes: `\p{L}+` with LETTER, `[\p{L}\p{N}]+` with LETTER | NUMBER."""
    j = i
    while j < hi and classes[codes[j]] & kinds:
        j += 1
    return j if j > i else 0


@inlined
def _spaced_run(codes, i, hi, classes, kinds):
    r"""The same after an optional space: ` ?\p{L}+`."""
    return _run(codes, i + (codes[i] == _BLANK), hi, classes, kinds)


@inlined
def _words(codes, i, hi, classes, kinds):
    r"""Words with the spaces between them: `(?: ?\p{L}+)+`."""
    end = 0
    begin = i + 1 if codes[i] == _BLANK else i
    while True:
        longer = _run(codes, begin, hi, classes, kinds)
        if longer == 0:
            return end
        end = longer
        if end == hi or codes[end] != _BLANK:
            return end
        begin = end + 1


@inlined
def _words_and_mark(codes, i, hi, classes, kinds):
    r"""The same with their final punctuation: `(?: ?\p{L}+)+[.?!]?`."""
    end = _words(codes, i, hi, classes, kinds)
    if end == 0 or end == hi:
        return end
    c = codes[end]
    # Branch-free, because whether a mark follows is hard to predict.
    return end + ((c == _PERIOD) | (c == _QUESTION_MARK) | (c == _EXCLAMATION_MARK))


@inlined
def _spaces(codes, i, hi, classes):
    r"""`\s+(?!\S)|\s+`: all but the last if a non-space follows, so that ` ?` can take the last one."""
    end = _run(codes, i, hi, classes, SPACE)
    return end - 1 if end < hi and end - i > 1 else end


@inlined
def _thunder_tok(codes, i, hi, classes):
    return (
        _contraction(codes, i, hi, 0)
        or _words_and_mark(codes, i, hi, classes, LETTER)
        or _run(codes, i, hi, classes, NUMBER)
        or _spaced_run(codes, i, hi, classes, OTHER)
        or _spaces(codes, i, hi, classes)
    )


@inlined
def _thunder_tok_joined(codes, i, hi, classes):
    return (
        _contraction(codes, i, hi, 0)
        or _words_and_mark(codes, i, hi, classes, LETTER | NUMBER)
        or _spaced_run(codes, i, hi, classes, OTHER)
        or _spaces(codes, i, hi, classes)
    )


@inlined
def _thunder_tok_readme(codes, i, hi, classes):
    return (
        _contraction(codes, i, hi, 0)
        or _words(codes, i, hi, classes, LETTER)
        or _run(codes, i, hi, classes, NUMBER)
        or _spaced_run(codes, i, hi, classes, OTHER)
        or _spaces(codes, i, hi, classes)
    )


@inlined
def _gpt2(codes, i, hi, classes):
    return (
        _contraction(codes, i, hi, 0)
        or _spaced_run(codes, i, hi, classes, LETTER)
        or _spaced_run(codes, i, hi, classes, NUMBER)
        or _spaced_run(codes, i, hi, classes, OTHER)
        or _spaces(codes, i, hi, classes)
    )


@inlined
def _whitespace(codes, i, hi, classes):
    return _spaced_run(codes, i, hi, classes, _NOT_SPACE) or _spaces(codes, i, hi, classes)


@inlined
def _none(codes, i, hi, classes):
    return hi  # `[\s\S]+`


@inlined
def _identifier(codes, i, hi, classes):
    r"""` ?[\p{L}_][\p{L}\p{N}_]*`"""
    begin = i + 1 if codes[i] == _BLANK else i
    j = begin
    while j < hi and (
        codes[j] == _UNDERSCORE or classes[codes[j]] & LETTER or (j > begin and classes[codes[j]] & NUMBER)
    ):
        j += 1
    return j if j > begin else 0


@inlined
def _operators(codes, i, hi, classes):
    r"""` ?[^\s\p{L}\p{N}_]+`"""
    begin = i + 1 if codes[i] == _BLANK else i
    j = begin
    while j < hi and codes[j] != _UNDERSCORE and classes[codes[j]] & OTHER:
        j += 1
    return j if j > begin else 0


@inlined
def _code(codes, i, hi, classes):
    return (
        _identifier(codes, i, hi, classes)
        or _spaced_run(codes, i, hi, classes, NUMBER)
        or _operators(codes, i, hi, classes)
        or _run(codes, i, hi, classes, SPACE)
    )


THUNDER_TOK, THUNDER_TOK_JOINED, THUNDER_TOK_README, GPT2, WHITESPACE, CODE, NONE = range(7)


class Preset(NamedTuple):
    """A named pattern.

    Attributes
    ----------
    rule : its number in `engine.corpus.pretokens.scan`.
    pattern : the equivalent regular expression, which takes linear time and is portable.
    uncut : a regular expression of the tokens that it never cuts: every occurrence of such a token's text is inside one
        pre-token.
    """

    rule: int
    pattern: str
    uncut: str


_L_OR_N = r"[\p{L}\p{N}]"
_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_NUMBERS = r"\p{N}+"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACES = r"\s+(?!\S)|\s+"


def _joined(letter: str) -> str:
    """` ?x+(?: x+)*`, equivalent to the paper's `(?: ?x+)+`, but linear: it has no nested quantifier."""
    return rf" ?{letter}+(?: {letter}+)*"


def _uncut_word(letter: str) -> str:
    """A word or a part of one. After an apostrophe an English contraction is split off: 'sally is 's + ally, 'red 're +
    d. So a token without a leading space must not continue after a contraction, or after the end of one."""
    return rf"(?:(?!(?:s|t|m|d|l|r?e|ve)(?:{letter}|[ .?!])){letter}| {letter}){letter}*"


def _uncut_words(letter: str) -> str:
    return rf"{_uncut_word(letter)}(?: {letter}+)*"


_UNCUT_PUNCTUATION = r" ?[^\s\p{L}\p{N}']+|'"
# A word absorbs one following . ? !, which would split "...".
_UNCUT_BUT_MARKS = r" [^\s\p{L}\p{N}]+|[^\s\p{L}\p{N}]|[^\s\p{L}\p{N}.?!'][^\s\p{L}\p{N}]+"
_UNCUT_SPACE = r"\s"

PRESETS: dict[str, Preset] = {
    # Thunder-Tok paper, section 3.1, as printed: words separated by spaces stay together, with final punctuation.
    "thunder-tok": Preset(
        THUNDER_TOK,
        "|".join([_CONTRACTIONS, _joined(r"\p{L}") + "[.?!]?", _NUMBERS, _PUNCTUATION, _SPACES]),
        "|".join([_uncut_words(r"\p{L}") + "[.?!]?", _NUMBERS, _UNCUT_BUT_MARKS, _UNCUT_SPACE]),
    ),
    # As the prose of that section describes it: numbers and words join.
    "thunder-tok-joined": Preset(
        THUNDER_TOK_JOINED,
        "|".join([_CONTRACTIONS, _joined(_L_OR_N) + "[.?!]?", _PUNCTUATION, _SPACES]),
        "|".join([_uncut_words(_L_OR_N) + "[.?!]?", _UNCUT_BUT_MARKS, _UNCUT_SPACE]),
    ),
    # The authors' README: without final punctuation.
    "thunder-tok-readme": Preset(
        THUNDER_TOK_README,
        "|".join([_CONTRACTIONS, _joined(r"\p{L}"), _NUMBERS, _PUNCTUATION, _SPACES]),
        "|".join([_uncut_words(r"\p{L}"), _NUMBERS, _UNCUT_PUNCTUATION, _UNCUT_SPACE]),
    ),
    # Radford et al. (2019), GPT-2.
    "gpt2": Preset(
        GPT2,
        "|".join([_CONTRACTIONS, r" ?\p{L}+", r" ?\p{N}+", _PUNCTUATION, _SPACES]),
        "|".join([_uncut_word(r"\p{L}"), r" ?\p{N}+", _UNCUT_PUNCTUATION, _UNCUT_SPACE]),
    ),
    "whitespace": Preset(WHITESPACE, r" ?\S+|" + _SPACES, rf" ?\S+|{_UNCUT_SPACE}"),
    # For source code: indentation is one pre-token, names keep their underscores and digits, operators stay together.
    "code": Preset(
        CODE,
        r" ?[\p{L}_][\p{L}\p{N}_]*| ?\p{N}+| ?[^\s\p{L}\p{N}_]+|\s+",
        r"[\p{L}_][\p{L}\p{N}_]*|\p{N}+|[^\s\p{L}\p{N}_]+|\s+",
    ),
    # The whole line is one pre-token.
    "none": Preset(NONE, r"[\s\S]+", r"[\s\S]+"),
}


def boundary_safe_mask(tokens: list[str], pretokenizer: str) -> np.ndarray:
    """bool[n]: whether the pre-tokenizer never cuts the token, in any context.

    SentencePiece has no pre-tokenizer and sees a whole line: a vocabulary is equivalent there only if every occurrence
    of a token's text is inside one pre-token.

    Raises
    ------
    InputError : the pre-tokenizer is not a preset.
    """
    if pretokenizer not in PRESETS:
        raise InputError("safe.pretokenizer", choices=", ".join(PRESETS), pretokenizer=pretokenizer)
    pattern = regex.compile(PRESETS[pretokenizer].uncut)
    return np.array([pattern.fullmatch(token) is not None for token in tokens], dtype=bool)
