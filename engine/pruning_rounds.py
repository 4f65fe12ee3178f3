"""What a pruning round leaves: its report, and the numbers of its tokens."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np


class RoundReport(NamedTuple):
    """One round in a line.

    Attributes
    ----------
    number : 0 is the seed vocabulary.
    vocab_size : tokens at the round's start, special tokens included.
    objective : mean negative log likelihood of a unit (sentence, or pre-token with context `pretoken`), nats.
    n_tokens : expected number of tokens in the corpus.
    threshold : score of the best token that was removed; None where nothing was.
    n_removed : tokens removed at the round's end.
    is_last : nothing is pruned any more.
    """

    number: int
    vocab_size: int
    objective: float
    n_tokens: float
    threshold: float | None
    n_removed: int
    is_last: bool


class Histogram(NamedTuple):
    """How many tokens a round kept and removed, by a score.

    Attributes
    ----------
    first : number of the first bin. Bin 2k holds scores from 2^(k-1023), bin 2k + 1 those from 1.5 times that.
    kept, removed : tokens in each bin.
    """

    first: int
    kept: tuple[int, ...]
    removed: tuple[int, ...]


class Round(NamedTuple):
    """The numbers of one round, for the tokens alive in it in the order of their rows.

    A compact model has none for its first rounds, but how the scores were distributed, by their names.
    """

    report: RoundReport | None
    log_prob: np.ndarray  # float64, natural
    sentence_prob: np.ndarray  # float64, P(x) of eq. 5
    branching_entropy: np.ndarray  # float64, nats
    score: np.ndarray | None  # float64; None where the score follows from the two columns above
    histograms: Mapping[str, Histogram] = MappingProxyType({})
