"""The kernel of the patterns that have a rule: the presets, tiktoken's and those of public tokenizers."""

from engine._jit import inlined, kernel
from engine.corpus.pretokens.known_patterns import PUBLIC_PATTERNS
from engine.corpus.pretokens.presets import (
    CODE,
    GPT2,
    PRESETS,
    THUNDER_TOK,
    THUNDER_TOK_JOINED,
    THUNDER_TOK_README,
    WHITESPACE,
    _code,
    _gpt2,
    _none,
    _thunder_tok,
    _thunder_tok_joined,
    _thunder_tok_readme,
    _whitespace,
)
from engine.corpus.pretokens.public_rules import CASED, CONTRACTIONS, ONE_DIGIT, PUBLIC, TO_END, _public
from engine.corpus.pretokens.tiktoken_patterns import GPT2_PATTERN, TIKTOKEN_PATTERNS


@inlined
def _scan_by(end_of, codes, lo, hi, classes, ends, k):
    """`_scan` with the rule `end_of`: a loop per rule is faster than a dispatch at each pre-token."""
    i = lo
    while i < hi:
        i = end_of(codes, i, hi, classes)
        ends[k] = i
        k += 1
    return k


@kernel
def _scan(codes, lo, hi, classes, rule, ends, k):
    """Write the ends of the pre-tokens of `codes[lo:hi]` to `ends[k:]`; returns the new k."""
    if rule == THUNDER_TOK:
        return _scan_by(_thunder_tok, codes, lo, hi, classes, ends, k)
    if rule == THUNDER_TOK_JOINED:
        return _scan_by(_thunder_tok_joined, codes, lo, hi, classes, ends, k)
    if rule == THUNDER_TOK_README:
        return _scan_by(_thunder_tok_readme, codes, lo, hi, classes, ends, k)
    if rule == GPT2:
        return _scan_by(_gpt2, codes, lo, hi, classes, ends, k)
    if rule == WHITESPACE:
        return _scan_by(_whitespace, codes, lo, hi, classes, ends, k)
    if rule == CODE:
        return _scan_by(_code, codes, lo, hi, classes, ends, k)
    if rule & PUBLIC:
        i = lo
        while i < hi:
            i = _public(codes, i, hi, classes, rule)
            ends[k] = i
            k += 1
        return k
    return _scan_by(_none, codes, lo, hi, classes, ends, k)


_OF_TIKTOKEN = {"cl100k": PUBLIC | CONTRACTIONS | TO_END, "o200k": PUBLIC | CONTRACTIONS | CASED}
_OF_PUBLIC = {
    "llama3": PUBLIC | CONTRACTIONS,
    "qwen3": PUBLIC | CONTRACTIONS | ONE_DIGIT,
    "mistral_v3": PUBLIC | CASED | ONE_DIGIT,
}

# Rules by pattern: a regular expression has a rule only if it is literally one of these.
RULES_OF_PATTERNS = {
    **{preset.pattern: preset.rule for preset in PRESETS.values()},
    **{pattern: rule for name, rule in _OF_TIKTOKEN.items() for pattern in TIKTOKEN_PATTERNS[name]},
    **{PUBLIC_PATTERNS[name]: rule for name, rule in _OF_PUBLIC.items()},
    GPT2_PATTERN: GPT2,
}

# The same, and rules by name.
RULES = {**{name: preset.rule for name, preset in PRESETS.items()}, **_OF_TIKTOKEN, **RULES_OF_PATTERNS}
