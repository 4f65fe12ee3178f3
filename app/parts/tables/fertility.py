"""What texts and languages cost under several tokenizers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.corpus.files import CorpusFiles
from engine.measure.distribution import (
    distribution_measures,
    empirical_bits_per_byte,
    marginal_bits_per_byte,
    viterbi_bits_per_byte,
)
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import (
    byte_fallback_rate,
    continued_words,
    fertility,
    floor,
    multi_word_tokens,
    multi_word_vocabulary,
    round_trip,
    single_token_words,
    units_per_token,
)
from engine.measure.result import Measure, ratio_of_lines
from engine.measure.words import find_words
from engine.tokenizer import Tokenizer


class TextCost(NamedTuple):
    """One tokenizer on one text."""

    tokens: int
    words: int
    characters: int
    fertility: float
    floor: float  # the same with the fewest tokens that the vocabulary allows; NaN if undefined
    above_floor: float  # share of tokens beyond the floor; NaN likewise
    low: float  # 95 % bootstrap interval over lines; NaN for a single line
    high: float
    sums: np.ndarray  # int32[n_lines, 2], tokens and words of each line


def text_cost(tokenizer: Tokenizer, lines: Sequence[str], definition: str) -> TextCost:
    """Fertility over the full text; `definition` is one of `engine.measure.words.DEFINITIONS`."""
    encoded = encode_lines(tokenizer, lines)
    words = find_words(encoded.seen, definition)
    measure, least = fertility(encoded, words), floor(encoded, words)
    nan = float("nan")
    low, high = measure.interval or (nan, nan)
    values = (least.fertility.value, least.above.value) if least else (nan, nan)
    sums = np.column_stack([encoded.per_line, words.per_line]).astype(np.int32)
    return TextCost(encoded.n_tokens, measure.n, sum(map(len, lines)), measure.value, *values, low, high, sums)


def cost_by_file(sums: np.ndarray, files: CorpusFiles) -> pd.DataFrame:
    """Fertility of every file of a text, with its interval over lines.

    Columns: file, lines, tokens, words, fertility, low, high (NaN for a single line). Files beyond the sums are left
    out.

    Parameters
    ----------
    sums : of a `TextCost`: tokens and words of each line of the files.
    """
    rows = []
    for i, name in enumerate(files.names):
        own = sums[files.line_ptr[i] : files.line_ptr[i + 1]]
        if not len(own):
            continue
        measure = ratio_of_lines("fertility", own[:, 0], own[:, 1], "words")
        low, high = measure.interval or (float("nan"), float("nan"))
        rows.append((name, len(own), int(own[:, 0].sum()), measure.n, measure.value, low, high))
    return pd.DataFrame(rows, columns=["file", "lines", "tokens", "words", "fertility", "low", "high"])


def all_measures(tokenizer: Tokenizer, lines: Sequence[str], definition: str) -> pd.DataFrame:
    """Every measure of one tokenizer on one text.

    Columns: measure (its name), value, low, high (NaN without an interval), n, n_of.
    """
    encoded = encode_lines(tokenizer, lines)
    words = find_words(encoded.seen, definition)
    measures: list[Measure] = [
        fertility(encoded, words),
        *(floor(encoded, words) or ()),
        continued_words(encoded, words),
        single_token_words(encoded, words),
        multi_word_tokens(encoded, words),
        multi_word_vocabulary(tokenizer),
        units_per_token(encoded, "characters"),
        units_per_token(encoded, "graphemes"),
        units_per_token(encoded, "bytes"),
        byte_fallback_rate(encoded),
        *distribution_measures(encoded),
        empirical_bits_per_byte(encoded),
        round_trip(encoded),
    ]
    if tokenizer.probabilities is not None:
        probable = tokenizer.probabilities
        measures += [viterbi_bits_per_byte(probable, encoded.seen), marginal_bits_per_byte(probable, encoded.seen)]
    nan = (float("nan"), float("nan"))
    return pd.DataFrame(
        [(m.name, m.value, *(m.interval or nan), m.n, m.n_of) for m in measures],
        columns=["measure", "value", "low", "high", "n", "n_of"],
    )
