"""The linguistic level of a token, by its form (Thunder-Tok paper, Table 1; special forms: its appendix D)."""

import regex

LEVELS = ("byte", "character", "word", "phrase")

_INNER_SPACE = regex.compile(r"\S\s+\S")
_PUNCTUATED = regex.compile(r"[\p{L}\p{N}][.?!]$")


def level_of(token: bytes) -> str:
    """`byte` (part of a character), `character`, `word` (a word or part of one) or `phrase` (several words)."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "byte"
    if len(text) <= 1:
        return "character"
    return "phrase" if _INNER_SPACE.search(text) else "word"


def is_multi_word(token: bytes) -> bool:
    """Whether the token is two or more words joined by spaces (appendix D)."""
    return level_of(token) == "phrase"


def is_punctuated_word(token: bytes) -> bool:
    """Whether the token ends with a word and an attached . ? or ! (appendix D)."""
    return _PUNCTUATED.search(token.decode(errors="ignore")) is not None
