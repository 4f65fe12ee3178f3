"""The kernel of the patterns that have a rule: the presets, tiktoken's and those of public tokenizers."""

from engine._jit import inlined, kernel
from engine.corpus.pretokens.character_classes import LETTER, LOWER, NUMBER, OTHER, SPACE, UPPER
from engine.corpus.pretokens.known_patterns import GPT2_PATTERN, PUBLIC_PATTERNS, TIKTOKEN_PATTERNS
from engine.corpus.pretokens.presets import (
    CODE,
    FOLD,
    GPT2,
    PRESETS,
    THUNDER_TOK,
    THUNDER_TOK_JOINED,
    THUNDER_TOK_README,
    WHITESPACE,
    _code,
    _contraction,
    _gpt2,
    _none,
    _run,
    _spaced_run,
    _thunder_tok,
    _thunder_tok_joined,
    _thunder_tok_readme,
    _whitespace,
)

# Rules of presets are smaller.
PUBLIC, CASED, CONTRACTIONS, ONE_DIGIT, TO_END = 16, 32, 64, 128, 256

_LF, _CR, _SLASH = map(ord, "\n\r/")


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


@inlined
def _cased_word(codes, i, begin, hi, classes):
    r"""`[^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*`; `begin` follows the optional character."""
    upper = begin
    while upper < hi and classes[codes[upper]] & UPPER:
        upper += 1
    end = upper
    while end < hi and classes[codes[end]] & LOWER:
        end += 1
    if end > upper:
        return end
    # `U*` gives back capitals until `L+` matches a letter without case, or a mark.
    while end > begin and not classes[codes[end - 1]] & LOWER:
        end -= 1
    if end > begin:
        return end
    if begin > i and classes[codes[i]] & LOWER:  # a mark: `[^\r\n\p{L}\p{N}]?` gives it back to `L+`
        return begin
    return upper if upper > begin else 0  # `U+L*`


@inlined
def _public(codes, i, hi, classes, rule):
    cased = rule & CASED
    if rule & CONTRACTIONS and not cased:
        end = _contraction(codes, i, hi, FOLD)
        if end:
            return end
    c = codes[i]
    begin = i + (c != _LF and c != _CR and not classes[c] & (LETTER | NUMBER))
    if cased:
        end = _cased_word(codes, i, begin, hi, classes)
        if end and end < hi and rule & CONTRACTIONS:
            return _contraction(codes, end, hi, FOLD) or end
    else:
        end = _run(codes, begin, hi, classes, LETTER)
    if end:
        return end
    end = _run(codes, i, min(i + (1 if rule & ONE_DIGIT else 3), hi), classes, NUMBER)
    if end:
        return end
    end = _spaced_run(codes, i, hi, classes, OTHER)
    if end:
        while end < hi and (codes[end] == _LF or codes[end] == _CR or (cased and codes[end] == _SLASH)):
            end += 1
        return end
    end = _run(codes, i, hi, classes, SPACE)
    if end == hi and rule & TO_END:
        return end
    for k in range(end - 1, i - 1, -1):
        if codes[k] == _LF or codes[k] == _CR:
            return k + 1
    return end - 1 if end < hi and end - i > 1 else end
