r"""The patterns of tiktoken's encodings and of public tokenizers derived from them, as one rule of a kernel.

They differ in few places, each a bit of the rule's number (sources: `tiktoken_patterns` and `known_patterns`):

    words         `[^\r\n\p{L}\p{N}]?\p{L}+`; CASED: `[^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*`, where U is
                  `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` and L is `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
    contractions  `(?i:'s|'t|'re|'ve|'m|'ll|'d)`; CONTRACTIONS: an alternative before words, with CASED at their end
    numbers       `\p{N}{1,3}`; ONE_DIGIT: `\p{N}`
    punctuation   ` ?[^\s\p{L}\p{N}]+[\r\n]*`; CASED: `[\r\n/]*`
    white space   `\s*[\r\n]+|\s+(?!\S)|\s+`; TO_END: before them `\s+(?![\s\S])`
"""

from engine._jit import inlined
from engine.corpus.pretokens.character_classes import LETTER, LOWER, NUMBER, OTHER, SPACE, UPPER
from engine.corpus.pretokens.presets import FOLD, _contraction, _run, _spaced_run

# Rules of presets are smaller.
PUBLIC, CASED, CONTRACTIONS, ONE_DIGIT, TO_END = 16, 32, 64, 128, 256

_LF, _CR, _SLASH = map(ord, "\n\r/")


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
