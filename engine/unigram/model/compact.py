"""Compact models: without the first rounds, which contain nearly all tokens, a file is 25 times smaller.

The last round is exact. The rounds before it are rounded, and of the first rounds only the reports and the histograms
of the scores remain.
"""

import numpy as np

from engine.config import N_BYTES
from engine.errors import InputError
from engine.pruning_rounds import Histogram, Round
from engine.unigram.model.model import Model

# Binary digits after the leading one. Log probabilities, which are summed over a sentence, have more: their relative
# error is at most 0.00025, that of all other columns 0.002.
_DIGITS, _DIGITS_OF_LOG_PROB = 8, 11
_MANTISSA = 52  # binary digits of a float64 after the leading one


def compact(model: Model, first_round: int) -> Model:
    """The model with only the tokens of `first_round` and later.

    Encoding, lattices, ids and the statistics of the last round do not change.

    Raises
    ------
    InputError : the model has no such round, or it is the last one.
    """
    first = model.round_number(first_round)
    if first == model.last_round:
        raise InputError("model.compact", last=model.last_round)
    rows = model.alive_rows(first)
    size = np.diff(model.ptr)[rows]
    blob = np.concatenate([model.blob[begin : begin + n] for begin, n in zip(model.ptr[rows], size, strict=True)])
    history = [
        *(_without_tokens(model, number) for number in range(first)),
        *(_rounded(model.history[number]) for number in range(first, model.last_round)),
        model.history[-1],
    ]
    return Model(
        model.settings,
        blob,
        np.concatenate([[0], np.cumsum(size, dtype=np.int64)]),
        model.died_in_round[rows],
        model.ids[rows],
        history,
        model.corpus_units,
        model.corpus_words,
        model.corpus_fingerprint,
        model.pretokenizer,
        first,
    )


def _without_tokens(model: Model, number: int) -> Round:
    entry, nothing = model.history[number], np.empty(0)
    rows = model.alive_rows(number)
    removed = model.died_in_round[rows] == number
    p, be = entry.sentence_prob, entry.branching_entropy
    columns = {"p": p, "be": be, "be_p": p * be, model.settings.score: model.scores(number)}
    histograms = {name: histogram(values[N_BYTES:], removed[N_BYTES:]) for name, values in columns.items()}
    return Round(entry.report, nothing, nothing, nothing, None, histograms)


def histogram(values: np.ndarray, removed: np.ndarray) -> Histogram:
    """Histogram of the scores of kept and removed tokens, with two bins per power of two; see Histogram.

    Parameters
    ----------
    values, removed : float64[n] and bool[n], by token; values that are not positive are ignored.
    """
    # The exponent and the first mantissa bit; a logarithm would differ between CPUs.
    bins = (values.view(np.int64) >> (_MANTISSA - 1))[values > 0]
    if not bins.size:
        return Histogram(0, (), ())
    first, n_bins = int(bins.min()), int(bins.max() - bins.min()) + 1
    is_removed = removed[values > 0]
    kept, gone = (np.bincount(bins[which] - first, minlength=n_bins) for which in (~is_removed, is_removed))
    return Histogram(first, tuple(kept.tolist()), tuple(gone.tolist()))


def _rounded(entry: Round) -> Round:
    return entry._replace(
        log_prob=_leading(entry.log_prob, _DIGITS_OF_LOG_PROB),
        sentence_prob=_leading(entry.sentence_prob, _DIGITS),
        branching_entropy=_leading(entry.branching_entropy, _DIGITS),
        score=None if entry.score is None else _leading(entry.score, _DIGITS),
    )


def _leading(values: np.ndarray, digits: int) -> np.ndarray:
    """Round to `digits` binary digits after the leading one (ties away from zero)."""
    drop = _MANTISSA - digits
    bits = values.view(np.int64)
    return ((bits + (1 << (drop - 1))) >> drop << drop).view(np.float64)
