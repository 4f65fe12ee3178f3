"""Our pre-tokenization as a regular expression for other programs."""

from engine.corpus.pretokens.presets import PRESETS
from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.corpus.pretokens.tiktoken_patterns import TIKTOKEN_PATTERNS
from engine.errors import InputError
from engine.pretokenization import MECAB


def pattern_of(pretokenizer: Pretokenizer, for_tiktoken: bool = False) -> str:
    r"""The pre-tokenizer as a pattern: the pre-tokens are its matches and the text between them.

    Parameters
    ----------
    for_tiktoken : add an alternative for the text between matches, which tiktoken would drop.

    Notes
    -----
    `\s` is the same set in `regex`, Oniguruma (`tokenizers`) and Rust's regex (`tiktoken`). `\p{L}` and `\p{N}`
    depend on each library's version of Unicode: a letter from Unicode 16 or later may be cut differently.

    Raises
    ------
    InputError : the pre-tokenizer is not a pattern: it needs an analyser or was learned.
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
