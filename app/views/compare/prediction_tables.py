"""Bits that held-out lines need under a language model over a tokenizer's tokens; draws nothing."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.measure.result import bootstrap_ratio
from engine.measure.token_ngrams import bits_per_character, predicted_bits
from engine.tokenizer import Tokenizer

# One line in ten is held out. A long text is sampled evenly, so that a click takes less than a second.
_HELD_BACK = 10
_MAX_CHARACTERS = 200_000


class LineSplit(NamedTuple):
    """Lines to count n-grams in, and lines to predict."""

    training: list[str]
    held_back: list[str]


class Prediction(NamedTuple):
    """Bits (float64[n_lines]) and tokens (int64[n_lines]) of each held-out line."""

    bits: np.ndarray
    tokens: np.ndarray


def split_lines(lines: Sequence[str]) -> LineSplit:
    """Hold out every tenth line; a long text is first thinned out evenly."""
    step = max(1, -(-sum(map(len, lines)) // _MAX_CHARACTERS))
    kept = lines[::step]
    return LineSplit(
        [line for i, line in enumerate(kept) if (i + 1) % _HELD_BACK], list(kept[_HELD_BACK - 1 :: _HELD_BACK])
    )


def predicted(tokenizer: Tokenizer, split: LineSplit) -> Prediction | None:
    """The held-out lines under a model of the training lines; None if the tokenizer is not lossless on them.

    Text that a vocabulary cannot represent need not be predicted, so the figure would be of an easier text.
    """
    held_back = encode_lines(tokenizer, split.held_back)
    if round_trip(held_back).value < 1:
        return None
    return Prediction(predicted_bits(encode_lines(tokenizer, split.training), held_back), held_back.per_line)


def prediction_table(found: Mapping[str, Prediction], lines: Sequence[str]) -> pd.DataFrame:
    """One row per tokenizer, by name.

    Columns: name, bits_per_character, low, high, change, change_low, change_high (in percent of the first, over the
    same lines), tokens, bits_per_token, best (ties with the fewest bits).
    """
    first = next(iter(found.values()))[0]
    characters = units_per_line(lines, "characters") + 1
    (ties,) = ties_with_best([[np.column_stack([bits, characters]) for bits, _ in found.values()]], is_lowest=True)
    rows = []
    for (name, (bits, tokens)), own in zip(found.items(), ties, strict=True):
        measure = bits_per_character(bits, lines)
        nothing = (float("nan"), float("nan"))
        is_first = bits is first
        low, high = (None if is_first else bootstrap_ratio(bits, first)) or nothing
        rows.append(
            {
                "name": name,
                "bits_per_character": measure.value,
                **dict(zip(("low", "high"), measure.interval or nothing, strict=True)),
                "change": float("nan") if is_first else 100 * (bits.sum() / first.sum() - 1),
                "change_low": 100 * (low - 1),
                "change_high": 100 * (high - 1),
                "tokens": int(tokens.sum()),
                "bits_per_token": bits.sum() / (tokens.sum() + len(lines)),
                "best": own.is_best,
            }
        )
    return pd.DataFrame(rows)
