"""What the texts of tokens are: scripts, longest, duplicates but for case and space, junk, and Hangul."""

from collections.abc import Mapping, Sequence

import numpy as np
import regex

from engine.corpus.health import SCRIPTS
from engine.tokenizer import Tokenizer

SYLLABLES = tuple(map(chr, range(0xAC00, 0xD7A4)))
"""The 11,172 modern Hangul syllables."""
LETTERS = tuple(map(chr, range(0x3131, 0x3164)))
"""The 51 modern Hangul letters (compatibility jamo)."""

JUNK = {
    # The same sign, or the same two, again and again: rules, decorations.
    "repeated": regex.compile(r"([^\p{L}\p{N}\s])\1{7,}|([^\p{L}\p{N}\s]{2})\2{3,}"),
    "address": regex.compile(r"https?:|www\.|\.(?:com|net|org|co\.kr|cn)\b|\p{L}@\p{L}", regex.IGNORECASE),
    # What a page says around its text, or what it sells.
    "boilerplate": regex.compile(
        r"copyright|all rights reserved|무단|전재|재배포|저작권|바로가기|댓글|카지노|토토|출장"
        r"|成人|彩票|娱乐|赌|色情|免费视频",
        regex.IGNORECASE,
    ),
    # Markup and code that crawled pages leave.
    "markup": regex.compile(r"&(?:nbsp|amp|lt|gt|quot);|</?\w+>|\bdiv\b.*=|\{\{|\}\}"),
}

_SCRIPT = regex.compile("|".join(rf"(?P<{name}>\p{{Script={name}}})" for name in SCRIPTS) + r"|(?P<other>\p{L})")
_SPECIAL_LIKE = regex.compile(
    r"<\|.+\|>|\[[A-Z]{2,}\d*\]|</?(?:s|unk|pad|mask|bos|eos)>|<(?:extra_id_|unused|reserved)\S*>"
)


def script_of(text: str) -> str:
    """The script of the first letter: a name of SCRIPTS or `other`; `none` for a text without letters."""
    match = _SCRIPT.search(text)
    return str(match.lastgroup) if match else "none"


def junk_of(text: str) -> str:
    """The first kind of JUNK that the text is, else an empty string."""
    return next((kind for kind, pattern in JUNK.items() if pattern.search(text)), "")


def is_special_like(text: str) -> bool:
    """Whether the text looks like a control token: `<|im_end|>`, `[MASK]`, `</s>`."""
    return _SPECIAL_LIKE.fullmatch(text.strip()) is not None


def near_duplicates(texts: Mapping[int, str]) -> list[list[int]]:
    """Groups of two or more tokens that differ in case or outer space only; the largest groups first."""
    groups: dict[str, list[int]] = {}
    for token, text in texts.items():
        if plain := text.strip().casefold():
            groups.setdefault(plain, []).append(token)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group))


def tokens_each(tokenizer: Tokenizer, characters: Sequence[str]) -> np.ndarray:
    """Tokens of each character alone (int64[n]), those without text not counted; 0 where it is unknown."""
    batch = tokenizer.encode_lines(characters)
    counted = (batch.size > 0).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(counted)])
    each: np.ndarray = sums[batch.line_ptr[1:]] - sums[batch.line_ptr[:-1]]
    if tokenizer.unknown_id is not None:
        unknown = np.concatenate([[0], np.cumsum(batch.ids == tokenizer.unknown_id)])
        each[unknown[batch.line_ptr[1:]] > unknown[batch.line_ptr[:-1]]] = 0
    return each
