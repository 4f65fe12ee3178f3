"""The record of a pruning round: its report and the statistics of its tokens."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from engine.progress import Progress


class Histogram(NamedTuple):
    """Histogram of a score over the tokens that a round kept and removed.

    Attributes
    ----------
    first : number of the first bin. Bin 2k contains scores from 2^(k-1023), bin 2k + 1 those from 1.5 times that.
    kept, removed : tokens in each bin.
    """

    first: int
    kept: tuple[int, ...]
    removed: tuple[int, ...]


class Round(NamedTuple):
    """Statistics of the tokens alive in a round, in row order.

    For its first rounds a compact model has only histograms of the scores, by score name.
    """

    report: Progress | None
    log_prob: np.ndarray  # float64, natural
    sentence_prob: np.ndarray  # float64, P(x) of eq. 5
    branching_entropy: np.ndarray  # float64, nats
    score: np.ndarray | None  # float64; None if it can be computed from the two columns above
    histograms: Mapping[str, Histogram] = MappingProxyType({})
