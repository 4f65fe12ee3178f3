"""Which tokens a pruning round removes (Thunder-Tok paper, Algorithm 1)."""

import math

import numpy as np

from engine.config import N_BYTES

# A token that is expected less often than this in the whole corpus carries no evidence and goes first.
LEAST_COUNT = 0.5


def pruned_tokens(
    score: np.ndarray, expected_count: np.ndarray, n_special: int, target: int, shrink: float
) -> np.ndarray:
    """Tokens to remove, as indices in ascending order of rank.

    The lowest share `shrink` of the prunable tokens (all but the bytes) goes, and every token expected less than 0.5
    times, but never more than brings the vocabulary to `target`. Tokens rank by whether they are expected less than
    0.5 times, then by score, then by their bytes: tokens are numbered in that order.

    Parameters
    ----------
    score : float64[n_tokens]; the first 256 are the bytes.
    expected_count : float64[n_tokens].
    n_special : special tokens, which count towards the size.
    target : size to land on, special tokens and bytes included.
    """
    rare = expected_count[N_BYTES:] < LEAST_COUNT
    n_prunable = rare.size
    excess = n_special + N_BYTES + n_prunable - target
    n_removed = min(excess, max(math.ceil(shrink * n_prunable), int(rare.sum())))
    order = np.lexsort((np.arange(n_prunable), _rounded(score[N_BYTES:]), ~rare))
    return N_BYTES + order[:n_removed]


def _rounded(score: np.ndarray) -> np.ndarray:
    """Scores to 33 bits (1e-10 relative), so that equal ones tie whatever rounding errors say."""
    mantissa, exponent = np.frexp(score)
    return np.ldexp(np.round(mantissa * 2.0**33), exponent - 33)
