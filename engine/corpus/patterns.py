"""The named pre-tokenization patterns, written as regular expressions.

The first alternative that matches at a position wins, so the order matters. What no alternative matches becomes a
pre-token of its own, so that nothing is ever lost.
"""

_CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACES = r"\s+(?!\S)|\s+"

# ` ?\p{L}+(?: \p{L}+)*` is the paper's `(?: ?\p{L}+)+` without the nested quantifier: the same matches, in linear time.
_KOREAN_WORDS = r" ?\p{L}+(?: \p{L}+)*"

PATTERNS: dict[str, str] = {
    # Thunder-Tok paper, section 3.1: spaced words and their final punctuation stay together.
    "thunder-tok": "|".join([_CONTRACTIONS, _KOREAN_WORDS + "[.?!]?", r"\p{N}+", _PUNCTUATION, _SPACES]),
    # The authors' README: the same without the final punctuation.
    "thunder-tok-readme": "|".join([_CONTRACTIONS, _KOREAN_WORDS, r"\p{N}+", _PUNCTUATION, _SPACES]),
    # Radford et al. (2019), GPT-2.
    "gpt2": "|".join([_CONTRACTIONS, r" ?\p{L}+", r" ?\p{N}+", _PUNCTUATION, _SPACES]),
    "whitespace": r" ?\S+|" + _SPACES,
    # The whole line is one pre-token.
    "none": r"[\s\S]+",
}
