r"""Regular expressions that are known to end soon on every text: those of public tokenizers, and of our presets.

A pattern is one of them only if it is written exactly so.
"""

from engine.corpus.presets import PRESETS

# cl100k_base, as tiktoken has it (tiktoken_ext/openai_public.py).
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED = r"[^\r\n\p{L}\p{N}]?"

KNOWN_PATTERNS = frozenset(
    [
        *(preset.pattern for preset in PRESETS.values()),
        CL100K_PATTERN,
        # GPT-2 in tiktoken's own words.
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        # Llama 3 (and cl100k_base in a tokenizer.json), Qwen 2 to 3.
        rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}",
        rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}",
        # o200k_base.
        rf"{_CASED}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_CASED}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?|\p{{N}}{{1,3}}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        # T5, ALBERT and XLM-R in a tokenizer.json.
        " {2,}",
    ]
)
