"""Tokens per word of several models on several texts, each compared with the best of its text."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from engine.machine.threads import usable_threads
from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import continued_words, fertility, floor, multi_word_tokens, units_per_token
from engine.measure.words import AUTO, DEFINITIONS, definition_of, find_words
from engine.tokenizer import Tokenizer

COLUMNS = (
    "model",
    "file",
    "algorithm",
    "vocab_size",
    "lines",
    "words",
    "tokens",
    "fertility",
    "fertility_low",
    "fertility_high",
    "continued_words",
    "multi_word_tokens",
    "characters_per_token",
    "bytes_per_token",
    "floor",
    "above_floor",
)


def fertility_rows(
    models: Collection[tuple[str, Tokenizer]], texts: Mapping[str, Sequence[str]], words: str = AUTO, seed: int = 0
) -> list[dict[str, Any]]:
    """A row for every model on every text, models first.

    Intervals are 95 % bootstrap intervals over lines. The best models on a text are those that tie with the fewest
    tokens: paired differences, with Holm's correction over the table (`FromBest.fields`). None stands for what cannot
    be measured, such as an interval on one line.

    Parameters
    ----------
    models : each with the name that its rows show as `model`; two may have the same.
    texts : by the name that the rows show as `file`.
    words : a definition of `engine.measure.words`, or AUTO: by the script of each text.
    seed : of the bootstrap.
    """
    definitions = {file: definition_of(lines, words) for file, lines in texts.items()}
    found = [
        [_measured(model, file, tokenizer, lines, definitions[file], seed) for model, tokenizer in models]
        for file, lines in texts.items()
    ]
    compared = ties_with_best([[sums for _, sums in of_file] for of_file in found], True, seed)
    for of_file, against in zip(found, compared, strict=True):
        for (row, _), own in zip(of_file, against, strict=True):
            row.update(own.fields())
    return [of_file[k][0] for k in range(len(models)) for of_file in found]


def _measured(
    model: str, file: str, tokenizer: Tokenizer, lines: Sequence[str], definition: str, seed: int
) -> tuple[dict[str, Any], np.ndarray]:
    """One model on one text.

    Also returns int64[n_lines, 2], tokens and words of each line.
    """
    encoded = encode_lines(tokenizer, lines, usable_threads())
    words = find_words(encoded.seen, definition)
    measure = fertility(encoded, words, seed)
    low, high = measure.interval or (math.nan, math.nan)
    least = floor(encoded, words, seed)
    values: tuple[object, ...] = (
        model,
        file,
        tokenizer.name,
        tokenizer.vocab_size,
        len(lines),
        measure.n,
        encoded.n_tokens,
        measure.value,
        low,
        high,
        continued_words(encoded, words, seed).value,
        multi_word_tokens(encoded, words, seed).value,
        units_per_token(encoded, "characters", seed).value,
        units_per_token(encoded, "bytes", seed).value,
        least.fertility.value if least else math.nan,
        least.above.value if least else math.nan,
    )
    row = {name: None if value != value else value for name, value in zip(COLUMNS, values, strict=True)}
    return {**row, "word_definition": DEFINITIONS[definition]}, np.column_stack([encoded.per_line, words.per_line])
