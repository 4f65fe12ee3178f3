"""Measures of a segmentation: how many tokens a text costs, and where they cut it.

The source of each formula is in its function. Rust et al. is "How Good is Your Tokenizer?" (ACL 2021).
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.errors import require_choice
from engine.measure.encoded import EncodedLines, units_per_line
from engine.measure.result import Measure, ratio, ratio_of_lines
from engine.measure.words import Words
from engine.tokenizer import Tokenizer


def fertility(encoded: EncodedLines, words: Words, seed: int = 0) -> Measure:
    """Tokens per word, |T| / |W|, over the full text (Rust et al. 2021, as in section 4.2 of the Thunder-Tok paper).

    Below 1 if tokens span several words.

    >>> from engine import TrainingSettings, encode_lines, find_words, train
    >>> tokenizer = train(["가나 다라"], TrainingSettings(algorithm="characters", vocab_size=6))
    >>> lines = ["가나 다라", "다라"]
    >>> measure = fertility(encode_lines(tokenizer, lines), find_words(lines))
    >>> round(measure.value, 3), measure.n, measure.n_of
    (2.333, 3, 'words')
    """
    return ratio_of_lines("fertility", encoded.per_line, words.per_line, "words", seed)


class Floor(NamedTuple):
    """The fewest tokens that the vocabulary allows.

    Attributes
    ----------
    fertility : the fewest tokens per word.
    above : excess of the tokenizer's own segmentation, as a share of the fewest.
    """

    fertility: Measure
    above: Measure


def floor(encoded: EncodedLines, words: Words, seed: int = 0) -> Floor | None:
    """The fewest tokens of the vocabulary that can spell the text, and how far the tokenizer is above.

    None if text may become the unknown token (see `Tokenizer.fewest_tokens`).

    >>> from engine import TrainingSettings, encode_lines, find_words, train
    >>> lines = ["가나 다라 마바", "다라"]
    >>> encoded = encode_lines(train(lines, TrainingSettings(algorithm="bytes")), lines)
    >>> found = floor(encoded, find_words(lines))
    >>> found.fertility.value, found.above.value
    (6.5, 0.0)
    """
    fewest = encoded.tokenizer.fewest_tokens(encoded.seen)
    if fewest is None:
        return None
    return Floor(
        ratio_of_lines("floor", fewest, words.per_line, "words", seed),
        ratio_of_lines("above_floor", encoded.per_line - fewest, fewest, "tokens", seed),
    )


def continued_words(encoded: EncodedLines, words: Words, seed: int = 0) -> Measure:
    """Proportion of words with a token boundary strictly inside (Rust et al. 2021, adapted to multi-word tokens)."""
    continued = are_continued(encoded, words)
    return ratio_of_lines("continued_words", _sum_by_line(continued, words.word_ptr), words.per_line, "words", seed)


def are_continued(encoded: EncodedLines, words: Words) -> np.ndarray:
    """bool[n_words]: whether a token boundary is strictly inside."""
    return _inside(encoded.begin, words) > 0


def single_token_words(encoded: EncodedLines, words: Words, seed: int = 0) -> Measure:
    """STRR: share of words that are one token and share it with no other word ("Beyond Fertility", 2025).

    The token may include white space. Words that are not cut at all, alone or joined, are 1 - `continued_words`.
    """
    whole = _inside(encoded.begin, words) == 0
    token = np.searchsorted(encoded.begin, words.begin, side="right") - 1
    # An imported tokenizer may drop a whole line: then the token before a word is from another line, or there is none.
    holds = np.append(encoded.end, 0)[token] > words.begin
    single = whole & holds & (np.append(_words_per_token(encoded, words), 0)[token] == 1)
    return ratio_of_lines("single_token_words", _sum_by_line(single, words.word_ptr), words.per_line, "words", seed)


def multi_word_tokens(encoded: EncodedLines, words: Words, seed: int = 0) -> Measure:
    """Share of running tokens with text of two or more words (Thunder-Tok paper, appendix D)."""
    multi = are_multi_word(encoded, words)
    return ratio_of_lines("multi_word_tokens", _sum_by_line(multi, encoded.token_ptr), encoded.per_line, "tokens", seed)


def are_multi_word(encoded: EncodedLines, words: Words) -> np.ndarray:
    """bool[n_tokens]: whether a token has text of two or more words."""
    return _words_per_token(encoded, words) >= 2


def multi_word_vocabulary(tokenizer: Tokenizer) -> Measure:
    """Share of the vocabulary with text on both sides of white space (Thunder-Tok paper, appendix D, except its
    words with punctuation)."""
    texts = [tokenizer.token_bytes(i).decode(errors="ignore") for i in range(tokenizer.vocab_size)]
    multi = sum(len(text.split()) >= 2 for text in texts)
    return Measure("multi_word_vocabulary", ratio(multi, len(texts)), len(texts), "vocabulary tokens")


def units_per_token(encoded: EncodedLines, unit: str = "characters", seed: int = 0) -> Measure:
    """`characters`, `graphemes` or `bytes` per token: the corpus ratio, not the mean of the lines' ratios.

    Characters per token is TokLens's CPT; bytes per token is TokEval's compression (but that averages the lines'
    ratios).
    """
    require_choice("unit", unit, ("characters", "graphemes", "bytes"))
    units = units_per_line(encoded.lines, unit)
    return ratio_of_lines(f"{unit}_per_token", units, encoded.per_line, "tokens", seed)


def byte_fallback_rate(encoded: EncodedLines, seed: int = 0) -> Measure:
    """Share of tokens that begin or end inside a character: byte fallback, or part of a byte-level vocabulary."""
    text = np.frombuffer("".join(encoded.seen).encode() + b"\0", dtype=np.uint8)
    inside = (text & 0xC0) == 0x80  # a UTF-8 continuation byte, inside a character
    partial = inside[encoded.begin] | inside[encoded.end]
    return ratio_of_lines(
        "byte_fallback_rate", _sum_by_line(partial, encoded.token_ptr), encoded.per_line, "tokens", seed
    )


def round_trip(encoded: EncodedLines) -> Measure:
    """Share of lines with decode(encode(line)) == line; below 1 if the tokenizer's normalization changes lines."""
    pairs = zip(encoded.token_ptr[:-1].tolist(), encoded.token_ptr[1:].tolist(), encoded.lines, strict=True)
    same = sum(encoded.tokenizer.decode(encoded.ids[a:b].tolist()) == line for a, b, line in pairs)
    n = len(encoded.lines)
    return Measure("round_trip", ratio(same, n), n, "lines")


@kernel
def _n_below(ordered, limits):
    """How many of the ascending numbers are below each of the limits, which ascend too."""
    found = np.empty(limits.size, dtype=np.int64)
    n = 0
    for i in range(limits.size):
        while n < ordered.size and ordered[n] < limits[i]:
            n += 1
        found[i] = n
    return found


def _inside(positions: np.ndarray, words: Words) -> np.ndarray:
    """int64[n_words]: how many of the ascending positions are strictly inside each word."""
    inside: np.ndarray = _n_below(positions, words.end) - _n_below(positions, words.begin + 1)
    return inside


def _words_per_token(encoded: EncodedLines, words: Words) -> np.ndarray:
    """int64[n_tokens]: number of words that each token has text of."""
    n_words: np.ndarray = _n_below(words.begin, encoded.end) - _n_below(words.end, encoded.begin + 1)
    return n_words


def _sum_by_line(values: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Sums of `values` over each line; empty lines give 0."""
    total = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return total[ptr[1:]] - total[ptr[:-1]]
