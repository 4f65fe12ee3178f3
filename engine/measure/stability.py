"""How much of a vocabulary depends on the particular lines of its training text.

The same settings are trained on bootstrap resamples of the lines (Efron and Tibshirani 1993, chapter 6): as many lines,
drawn with replacement. Tokens kept by most resamples reflect the language and the settings, the others chance.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from engine.config import TrainingSettings
from engine.errors import InputError, require_between
from engine.measure.encoded import encode_lines
from engine.measure.result import LEVEL, ratio
from engine.measure.words import DEFINITIONS, definition_of, find_words
from engine.tokenizer import Tokenizer
from engine.training import train

N_RESAMPLES, _MOST_RESAMPLES = 20, 1000
LEFT_OUT = "lines that a resample does not have"


class Resample(NamedTuple):
    """One resample, trained and measured.

    Attributes
    ----------
    vocab_size : of its model; below the requested size if its text is too short.
    kept : bool[n_tokens], by id in the model of all lines: whether the resample has the token too.
    fertility : tokens per word; NaN without words.
    definition : definition of a word, a key of `engine.measure.words.DEFINITIONS`.
    """

    vocab_size: int
    kept: np.ndarray
    fertility: float
    definition: str


class Stability(NamedTuple):
    """Summary of all resamples.

    Attributes
    ----------
    kept : int64[n_tokens], by id: number of resamples that keep the token.
    n_resamples : number of resamples.
    sizes : vocabulary size of each.
    fertility : mean of those measured on words; low, high : the central interval with LEVEL of them.
    definition : definition of a word.
    """

    kept: np.ndarray
    n_resamples: int
    sizes: list[int]
    fertility: float
    low: float
    high: float
    definition: str


def drawn_lines(n_lines: int, number: int, seed: int = 0) -> np.ndarray:
    """Line numbers of resample `number` (from 0): int64[n_lines], ascending.

    In text order, because the order of the text breaks ties.
    """
    return np.sort(np.random.default_rng([seed, number]).integers(0, n_lines, size=n_lines))


def resamples(
    lines: Sequence[str],
    settings: TrainingSettings,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    text: Sequence[str] | None = None,
    threads: int = 1,
) -> Iterator[Resample]:
    """Train on the lines, then on each resample; a resample depends neither on `n_resamples` nor on `threads`.

    Parameters
    ----------
    lines : the training text; empty lines are dropped.
    text : lines to measure fertility on; None: each resample's left-out lines, some 37 % of all.

    Raises
    ------
    InputError : the settings cannot be trained on the lines, there are fewer than two lines, a number is out of range,
        or `text` has no words.
    """
    require_between("resamples", n_resamples, 1, _MOST_RESAMPLES)
    require_between("seed", seed, 0, 2**31 - 1)
    lines = [line for line in lines if line]
    if len(lines) < 2:
        raise InputError("stability.lines")
    definition = definition_of(lines if text is None else text)
    if text is not None and not find_words(text, definition).begin.size:
        raise InputError("stability.words")
    known = token_names(train(lines, settings, threads))
    for number in range(n_resamples):
        drawn = drawn_lines(len(lines), number, seed)
        model = _trained([lines[k] for k in drawn.tolist()], settings, threads)
        own = set(token_names(model))
        left_out = np.setdiff1d(np.arange(len(lines)), drawn).tolist()
        measured = [lines[k] for k in left_out] if text is None else text
        n_words = find_words(measured, definition).begin.size
        kept = np.array([name in own for name in known], dtype=bool)
        yield Resample(model.vocab_size, kept, ratio(encode_lines(model, measured).n_tokens, n_words), definition)


def stability(found: Sequence[Resample]) -> Stability:
    """Summarize the resamples, at least one; InputError if none could be measured on any word."""
    fertility = np.array([one.fertility for one in found if not np.isnan(one.fertility)])
    if not fertility.size:
        raise InputError("stability.words")
    low, high = np.quantile(fertility, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    kept = np.stack([one.kept for one in found]).sum(axis=0, dtype=np.int64)
    sizes = [one.vocab_size for one in found]
    return Stability(kept, len(found), sizes, float(fertility.mean()), float(low), float(high), found[0].definition)


def stability_fields(made: Stability, model: Tokenizer, measured_on: str = LEFT_OUT) -> dict[str, Any]:
    """The summary as plain values, with the tokens of `model`, trained on all lines: the least stable first."""
    return {
        "vocab_size": model.vocab_size,
        "resamples": made.n_resamples,
        "sizes": made.sizes,
        "measured_on": measured_on,
        "fertility": made.fertility,
        "fertility_low": made.low,
        "fertility_high": made.high,
        "word_definition": DEFINITIONS[made.definition],
        "tokens": [
            {"id": k, "token": model.token_label(k), "kept": int(made.kept[k])}
            for k in sorted(range(model.vocab_size), key=lambda k: (int(made.kept[k]), k))
        ],
    }


def token_names(tokenizer: Tokenizer) -> list[tuple[str, bytes, int]]:
    """A unique name for every token, comparable between models of the same settings, in order of ids.

    It consists of label and bytes, and a running number for tokens that share both (as in merge algorithms).
    """
    names = [(tokenizer.token_label(k), tokenizer.token_bytes(k)) for k in range(tokenizer.vocab_size)]
    seen: Counter[tuple[str, bytes]] = Counter()
    numbered = []
    for name in names:
        numbered.append((*name, seen[name]))
        seen[name] += 1
    return numbered


def _trained(lines: Sequence[str], settings: TrainingSettings, threads: int) -> Tokenizer:
    """The model; the largest possible one if the lines have too few candidates for the requested size."""
    try:
        return train(lines, settings, threads)
    except InputError as error:
        if error.code != "vocabulary.large":
            raise
        return train(lines, replace(settings, vocab_size=int(str(error.values["high"]))), threads)
