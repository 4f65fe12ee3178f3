"""Pre-tokenizers by name: a preset, a tiktoken pattern, morphemes, learned boundaries, or a regex.

This module is above `engine.corpus`, which applies pre-tokenizers, and `engine.boundaries`, which learns them.
"""

from collections.abc import Sequence
from functools import lru_cache

from engine.boundaries.learned import LEARNED, is_learned, learn_pretokenizer, restore_pretokenizer
from engine.corpus.morphemes.mecab import morpheme_ends
from engine.corpus.morphemes.selective import is_selective, selective_cut
from engine.corpus.pretokens.dialects import Dialect, ForeignPattern
from engine.corpus.pretokens.known_patterns import KNOWN_PATTERNS, TIKTOKEN_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError

MECAB = "mecab"

# What pre-tokens cut at morphemes for training alone are parts of, and what encodes.
_WORDS = Pretokenizer("gpt2")

# All names; any other string is a regular expression.
PRETOKENIZERS = (*PRESETS, *TIKTOKEN_PATTERNS, MECAB, *LEARNED)


@lru_cache(maxsize=64)
def get_pretokenizer(name: str, dialect: Dialect | None = None) -> Pretokenizer:
    """The pre-tokenizer with this name: a preset, a tiktoken pattern, `mecab`, or `name` as a regex.

    One that cuts at morphemes for training alone is `gpt2` here.

    Parameters
    ----------
    dialect : of the regular expression; None: that of the module `regex`.

    Raises
    ------
    InputError : the regular expression is invalid, or the pre-tokenizer must be learned from a corpus.
    """
    if is_learned(name):
        raise InputError("pretokenizer.learned", name=name)
    if is_selective(name):
        selective_cut(name, _WORDS)  # for the name's sake
        return _WORDS
    if name in PRESETS:
        return Pretokenizer(name)
    if name in TIKTOKEN_PATTERNS:
        return Pretokenizer(name, OwnPattern(TIKTOKEN_PATTERNS[name].plain, is_known=True))
    if name == MECAB:
        return Pretokenizer(name, morpheme_ends)
    if not name:
        raise InputError("pattern.empty")
    if dialect is not None and name not in KNOWN_PATTERNS:
        return Pretokenizer(name, ForeignPattern(name, dialect))
    return Pretokenizer(name, OwnPattern(name, name in KNOWN_PATTERNS))


def pretokenizer_for(name: str, lines: Sequence[str] | str) -> Pretokenizer:
    """What cuts the lines (a list, or one text) for training: the pre-tokenizer with this name, learned from them if
    necessary.

    Raises
    ------
    InputError : see get_pretokenizer; or there is nothing to learn from.
    """
    if is_selective(name):
        return Pretokenizer(name, selective_cut(name, _WORDS))
    if not is_learned(name):
        return get_pretokenizer(name)
    return learn_pretokenizer(name, lines.split("\n") if isinstance(lines, str) else lines)


def stored_pretokenizer(name: str, table: str | None) -> Pretokenizer:
    """Restore the pre-tokenizer of a model file; `table` is None unless it was learned.

    Raises
    ------
    InputError : the name and the table do not match.
    """
    return get_pretokenizer(name) if table is None else restore_pretokenizer(name, table)
