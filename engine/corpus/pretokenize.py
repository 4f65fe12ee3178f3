"""Pre-tokenization: cutting a line into pieces that no token may cross.

The named patterns run as one kernel over a table of character classes; the `regex` module is the way for patterns
of the user's own and the oracle for the kernel (tests/test_pretokenize.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
import regex

from engine._jit import kernel
from engine.corpus.patterns import PATTERNS
from engine.errors import InputError

OTHER, LETTER, NUMBER, SPACE = 0, 1, 2, 3

_MODES = {"none": 0, "whitespace": 1, "gpt2": 2, "thunder-tok-readme": 3, "thunder-tok": 4}

# Learned from the corpus (engine.boundaries.learned); a number may follow: `pmi-entropy:1`, `lm-entropy:3`.
LEARNED = ("pmi-entropy", "entropy-only", "lm-entropy")

# A pattern of the user's own may backtrack for ever on a hostile line; this is what one line may take.
REGEX_TIMEOUT_SECONDS = 2.0


def to_codes(text: str) -> np.ndarray:
    """Code points of `text` as int32[len(text)]; InputError for a lone surrogate, which no UTF-8 text holds."""
    try:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.int32)
    except UnicodeEncodeError as error:
        raise InputError(
            "the text holds a lone surrogate (U+{surrogate:04X}) at character {start}; it is not valid Unicode: "
            "save the text as UTF-8 again",
            code="text.surrogate",
            surrogate=ord(text[error.start]),
            start=error.start,
        ) from None


@cache
def character_classes() -> np.ndarray:
    r"""uint8[0x110000]: `classes[c]` is LETTER (\p{L}), NUMBER (\p{N}), SPACE (\s) or OTHER, as `regex` sees it."""
    classes = np.zeros(0x110000, dtype=np.uint8)
    codes = np.concatenate([np.arange(0xD800, dtype="<u4"), np.arange(0xE000, 0x110000, dtype="<u4")])
    everything = codes.tobytes().decode("utf-32-le")
    for value, pattern in ((LETTER, r"\p{L}+"), (NUMBER, r"\p{N}+"), (SPACE, r"\s+")):
        for match in regex.finditer(pattern, everything):
            # Behind the surrogates, an index into `everything` is 0x800 too small; no run crosses that gap
            # because its neighbours are a Hangul letter block's unassigned end and the private use area.
            first, last = (ord(everything[match.start()]), ord(everything[match.end() - 1]))
            classes[first : last + 1] = value
    classes[0xD800:0xE000] = OTHER
    return classes


@kernel
def _contraction_end(codes, i, hi):
    """End of an English contraction ('s 't 're 've 'm 'll 'd) that starts at the apostrophe `i`, or `i`."""
    if i + 1 >= hi:
        return i
    c = codes[i + 1]
    if c == 115 or c == 116 or c == 109 or c == 100:  # s t m d
        return i + 2
    if i + 2 < hi:
        d = codes[i + 2]
        if (c == 114 and d == 101) or (c == 118 and d == 101) or (c == 108 and d == 108):  # re ve ll
            return i + 3
    return i


@kernel
def _pretoken_end(codes, i, hi, classes, mode):
    """End of the pre-token that starts at `i` in the line that ends at `hi`, for one of the named patterns."""
    if mode == 0:
        return hi
    c = codes[i]
    kind = classes[c]
    if mode == 1:  # ` ?\S+`
        j = i + 1 if c == 32 and i + 1 < hi and classes[codes[i + 1]] != 3 else i
        if classes[codes[j]] != 3:
            while j < hi and classes[codes[j]] != 3:
                j += 1
            return j
    else:
        if c == 39:
            j = _contraction_end(codes, i, hi)
            if j > i:
                return j
        j = i
        if c == 32 and i + 1 < hi and classes[codes[i + 1]] != 3:
            j = i + 1
        kind = classes[codes[j]]
        if kind == 1:
            while True:
                while j < hi and classes[codes[j]] == 1:
                    j += 1
                if mode >= 3 and j + 1 < hi and codes[j] == 32 and classes[codes[j + 1]] == 1:
                    j += 1
                else:
                    break
            if mode == 4 and j < hi and (codes[j] == 46 or codes[j] == 63 or codes[j] == 33):
                j += 1
            return j
        if kind == 2 and mode >= 3 and j > i:
            return j  # Thunder-Tok's digits take no leading space: the space stands alone
        if kind != 3:
            while j < hi and classes[codes[j]] == kind:
                j += 1
            return j
    # White space: all but its last character where something else follows, so that ` ?` can take that one.
    j = i + 1
    while j < hi and classes[codes[j]] == 3:
        j += 1
    if j < hi and j - i > 1:
        return j - 1
    return j


@kernel
def _scan(codes, lo, hi, classes, mode, ends, k):
    """Write the ends of the pre-tokens of `codes[lo:hi]` to `ends[k:]`; returns the new k."""
    i = lo
    while i < hi:
        i = _pretoken_end(codes, i, hi, classes, mode)
        ends[k] = i
        k += 1
    return k


@kernel
def _scan_lines(codes, line_begin, line_end, classes, mode):
    """Pre-tokens of all lines: their ends, and line_ptr into them."""
    total = 0
    for line in range(line_begin.size):
        total += line_end[line] - line_begin[line]
    ends = np.empty(total, dtype=np.int64)
    line_ptr = np.empty(line_begin.size + 1, dtype=np.int64)
    k = 0
    line_ptr[0] = 0
    for line in range(line_begin.size):
        k = _scan(codes, line_begin[line], line_end[line], classes, mode, ends, k)
        line_ptr[line + 1] = k
    return ends[:k].copy(), line_ptr


@dataclass(frozen=True)
class Pretokenizer:
    """Cuts text into pre-tokens whose concatenation is the text. Equal names cut equally, but for learned ones.

    Parameters
    ----------
    name : a key of PATTERNS, "mecab", one of LEARNED, or a regular expression of the user's own.
    cut : for a pattern without a kernel, the function from a line to the ends of its pre-tokens.
    scan : for a learned one, the function from code points and the begins and ends of lines to what scan_lines returns.
    table : what was learned, as text; equal names and tables cut equally.
    """

    name: str
    cut: Callable[[str], list[int]] | None = None
    scan: Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None
    table: str = field(default="", repr=False)

    def split(self, text: str) -> list[str]:
        """The pre-tokens of one line, in order; `"".join(split(text)) == text`."""
        ends = self.boundaries(to_codes(text)) if self.cut is None else [0, *self.cut(text)]
        return [text[a:b] for a, b in pairwise(ends)]

    def boundaries(self, codes: np.ndarray) -> np.ndarray:
        """Boundaries of one line: int64[n_pretokens + 1], from 0 to len(codes)."""
        if self.cut is not None:
            text = codes.astype("<i4").tobytes().decode("utf-32-le")
            return np.array([0, *self.cut(text)], dtype=np.int64)
        if self.scan is not None:
            return np.append(0, self.scan(codes, np.array([0]), np.array([codes.size]))[0])
        ends = np.empty(codes.size + 1, dtype=np.int64)
        ends[0] = 0
        k = _scan(codes, 0, codes.size, character_classes(), _MODES[self.name], ends, 1)
        return ends[:k]

    def scan_lines(
        self, text: str, codes: np.ndarray, line_begin: np.ndarray, line_end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the pre-tokens of many lines of `text`, and line_ptr into them (both int64)."""
        if self.scan is not None:
            return self.scan(codes, line_begin, line_end)
        if self.cut is None:
            return _scan_lines(codes, line_begin, line_end, character_classes(), _MODES[self.name])
        ends: list[int] = []
        line_ptr = [0]
        for begin, end in zip(line_begin.tolist(), line_end.tolist(), strict=True):
            ends.extend(begin + e for e in self.cut(text[begin:end]))
            line_ptr.append(len(ends))
        return np.array(ends, dtype=np.int64), np.array(line_ptr, dtype=np.int64)


def _regex_cutter(pattern: str) -> Callable[[str], list[int]]:
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise InputError(
            "the pre-tokenization pattern is not a valid regular expression: {detail}; correct it",
            code="pattern.invalid",
            detail=str(error),
        ) from None

    def cut(text: str) -> list[int]:
        ends: list[int] = []
        try:
            for match in compiled.finditer(text, timeout=REGEX_TIMEOUT_SECONDS):
                # Text between two matches is a pre-token of its own, and so is what follows the last match.
                for end in (match.start(), match.end()):
                    if end > (ends[-1] if ends else 0):
                        ends.append(end)
        except TimeoutError:
            raise InputError(
                "the pre-tokenization pattern took over {seconds:g} s on one line; "
                "it backtracks too much: simplify nested repetitions",
                code="pattern.slow",
                seconds=REGEX_TIMEOUT_SECONDS,
            ) from None
        if len(text) > (ends[-1] if ends else 0):
            ends.append(len(text))
        return ends

    return cut


@lru_cache(maxsize=64)
def get_pretokenizer(name: str) -> Pretokenizer:
    """The pre-tokenizer of that name: a preset, `mecab`, or else `name` read as a regular expression.

    Raises
    ------
    InputError : the regular expression is not valid, `mecab` is asked for and not installed, or the name is that of
        a pre-tokenizer that has to be learned.
    """
    if is_learned(name):
        raise InputError(
            "the pre-tokenizer {name!r} is learned from a corpus; train a model with it or name another",
            code="pretokenizer.learned",
            name=name,
        )
    if name in _MODES:
        return Pretokenizer(name)
    if name == "mecab":
        from engine.corpus.mecab import morpheme_ends

        return Pretokenizer(name, morpheme_ends)
    if not name:
        raise InputError(
            "the pre-tokenization pattern is empty; name a preset or give a regular expression", code="pattern.empty"
        )
    return Pretokenizer(name, _regex_cutter(name))


def is_learned(name: str) -> bool:
    """Whether the pre-tokenizer of that name has to be learned from a corpus."""
    return name.partition(":")[0] in LEARNED


def pretokenizer_for(name: str, lines: Sequence[str] | str) -> Pretokenizer:
    """The pre-tokenizer of that name, learned from the lines (or the text of them) where it has to be.

    Raises
    ------
    InputError : see get_pretokenizer; or there is nothing to learn from.
    """
    if not is_learned(name):
        return get_pretokenizer(name)
    from engine.boundaries.learned import learn_pretokenizer

    return learn_pretokenizer(name, lines.split("\n") if isinstance(lines, str) else lines)


def stored_pretokenizer(name: str, table: str | None) -> Pretokenizer:
    """The pre-tokenizer of that name as a model file holds it: with its table, where it was learned.

    Raises
    ------
    InputError : name and table do not fit together.
    """
    if table is None:
        return get_pretokenizer(name)
    from engine.boundaries.learned import restore_pretokenizer

    return restore_pretokenizer(name, table)


assert set(_MODES) == set(PATTERNS)  # a preset without a kernel, or the other way round, is a mistake of ours
