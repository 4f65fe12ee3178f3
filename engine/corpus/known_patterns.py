r"""Regular expressions that are known to end soon on every text: those of public tokenizers, and of our presets.

A pattern is one of them only if it is written exactly so.
"""

from engine.corpus.presets import PRESETS
from engine.corpus.tiktoken_patterns import TIKTOKEN_PATTERNS

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"

KNOWN_PATTERNS = frozenset(
    [
        *(preset.pattern for preset in PRESETS.values()),
        *(pattern for both in TIKTOKEN_PATTERNS.values() for pattern in both),
        # GPT-2 in tiktoken's own words.
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        # Llama 3 (and cl100k_base in a tokenizer.json), Qwen 2 to 3.
        rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}",
        rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}",
        # T5, ALBERT and XLM-R in a tokenizer.json.
        " {2,}",
    ]
)
