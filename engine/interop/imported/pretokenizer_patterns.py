"""Our pre-tokenization as a regular expression that other programs run."""

from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.corpus.pretokens.tiktoken_patterns import TIKTOKEN_PATTERNS
from engine.errors import InputError
from engine.pretokenization import MECAB


def pattern_of(pretokenizer: Pretokenizer, for_tiktoken: bool = False) -> str:
    r"""The pre-tokenizer as a pattern whose matches, and what lies between them, are the pre-tokens.

    Parameters
    ----------
    for_tiktoken : as tiktoken has it: with an alternative for what lies between matches, which it would drop.

    Notes
    -----
    `\s` is the same set in `regex`, Oniguruma (`tokenizers`) and Rust's regex (`tiktoken`). `\p{L}` and `\p{N}`
    follow each library's version of Unicode: a letter of Unicode 16 or later may be cut differently there.

    Raises
    ------
    InputError : it is not a pattern (morphemes come from a program).
    """
    if pretokenizer.name in PRESETS:
        return PRESETS[pretokenizer.name].pattern
    if pretokenizer.name in TIKTOKEN_PATTERNS:
        named = TIKTOKEN_PATTERNS[pretokenizer.name]
        return named.exact if for_tiktoken else named.plain
    if pretokenizer.name == MECAB:
        raise InputError("export.morphemes")
    if pretokenizer.scan is not None:
        raise InputError("export.learned", name=pretokenizer.name)
    pattern = pretokenizer.name
    return rf"(?:{pattern})|(?:(?!{pattern})[\s\S])+" if for_tiktoken else pattern
