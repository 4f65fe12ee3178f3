r"""The patterns of tiktoken's encodings, by encoding; GPT-2's is one of the presets.

tiktoken (tiktoken_ext/openai_public.py) uses syntax that other engines interpret differently: `{1,3}+` repeats in
Oniguruma, and `$` also matches before a final line end in Python. `plain` avoids it.
"""

from typing import NamedTuple


class TiktokenPattern(NamedTuple):
    """A pattern as in tiktoken (`exact`), and an equivalent portable one (`plain`)."""

    exact: str
    plain: str


_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_O200K = "|".join(
    [
        rf"{_BEFORE}{_UPPER}*{_LOWER}+{_ENDING}?",
        rf"{_BEFORE}{_UPPER}+{_LOWER}*{_ENDING}?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

TIKTOKEN_PATTERNS = {
    "cl100k": TiktokenPattern(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        rf"{_ENDING}|{_BEFORE}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s+(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    "o200k": TiktokenPattern(_O200K, _O200K),
}

# GPT-2's, equivalent to the preset.
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

# For rank files whose size does not identify the encoding.
DEFAULT_PATTERN = "cl100k"
