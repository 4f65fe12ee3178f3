"""Which pre-tokenizer a name stands for: a preset, a pattern of tiktoken, morphemes, learned boundaries, or a regex.

This stands above `engine.corpus`, which cuts with what it is given, and `engine.boundaries`, which learns from one.
"""

from collections.abc import Sequence
from functools import lru_cache

from engine.boundaries.learned import LEARNED, is_learned, learn_pretokenizer, restore_pretokenizer
from engine.corpus.morphemes.mecab import morpheme_ends
from engine.corpus.pretokens.known_patterns import KNOWN_PATTERNS
from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.corpus.pretokens.tiktoken_patterns import TIKTOKEN_PATTERNS
from engine.errors import InputError

MECAB = "mecab"

# All names; what is none of them is read as a regular expression.
PRETOKENIZERS = (*PRESETS, *TIKTOKEN_PATTERNS, MECAB, *LEARNED)


@lru_cache(maxsize=64)
def get_pretokenizer(name: str) -> Pretokenizer:
    """The pre-tokenizer of that name: a preset, a pattern of tiktoken, `mecab`, or else `name` read as a regex.

    Raises
    ------
    InputError : the regular expression is not valid, `mecab` is asked for and not installed, or the name is that of
        a pre-tokenizer that has to be learned.
    """
    if is_learned(name):
        raise InputError("pretokenizer.learned", name=name)
    if name in PRESETS:
        return Pretokenizer(name)
    if name in TIKTOKEN_PATTERNS:
        return Pretokenizer(name, OwnPattern(TIKTOKEN_PATTERNS[name].plain, is_known=True))
    if name == MECAB:
        return Pretokenizer(name, morpheme_ends)
    if not name:
        raise InputError("pattern.empty")
    return Pretokenizer(name, OwnPattern(name, name in KNOWN_PATTERNS))


def pretokenizer_for(name: str, lines: Sequence[str] | str) -> Pretokenizer:
    """The pre-tokenizer of that name, learned from the lines (or the text of them) where it has to be.

    Raises
    ------
    InputError : see get_pretokenizer; or there is nothing to learn from.
    """
    if not is_learned(name):
        return get_pretokenizer(name)
    return learn_pretokenizer(name, lines.split("\n") if isinstance(lines, str) else lines)


def stored_pretokenizer(name: str, table: str | None) -> Pretokenizer:
    """The pre-tokenizer of that name as a model file holds it: with its table, where it was learned.

    Raises
    ------
    InputError : name and table do not fit together.
    """
    return get_pretokenizer(name) if table is None else restore_pretokenizer(name, table)
