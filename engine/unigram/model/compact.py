"""A model without its first rounds, which hold nearly all of its tokens: a twenty-fifth of the file.

The last round is kept to the bit. The rounds before it keep the leading digits of their numbers, and the first ones
their reports and how their scores were distributed.
"""

import numpy as np

from engine.config import N_BYTES
from engine.errors import InputError
from engine.pruning_rounds import Histogram, Round
from engine.unigram.model.model import Model

# Binary digits after the leading one. Log probabilities are added up along a sentence and have more: what is left
# is off by at most 0.00025 of a number, of all others by 0.002.
_DIGITS, _DIGITS_OF_LOG_PROB = 8, 11
_MANTISSA = 52  # binary digits of a float64 after the leading one


def compact(model: Model, first_round: int) -> Model:
    """The model with the tokens of `first_round` and later only.

    Encoding, lattices, ids and numbers of the last round stay as they are.

    Raises
    ------
    InputError : it has no such round.
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
    """How many tokens a round kept and removed, by their score in half powers of two; see Histogram.

    Parameters
    ----------
    values, removed : float64[n] and bool[n] of the same tokens; what is not positive stands in no bin.
    """
    # The exponent and the first digit after the leading one: no logarithm, whose digits would differ between CPUs.
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
    """The nearest numbers with so many binary digits after the leading one (away from zero in the middle)."""
    drop = _MANTISSA - digits
    bits = values.view(np.int64)
    return ((bits + (1 << (drop - 1))) >> drop << drop).view(np.float64)
