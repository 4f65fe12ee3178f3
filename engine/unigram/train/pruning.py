"""Which tokens a pruning round removes (Thunder-Tok paper, Algorithm 1).

With `sentencepiece_safe` no token outlives a character that it holds. SentencePiece gives every unknown character the
same cost, ours that of its bytes: only where a character without a token is in no other token either, every path
through a text pays for it alike, and both programs choose the same one.
"""

import math
from typing import NamedTuple

import numpy as np

from engine.config import N_BYTES

# A token that is expected less often than this in the whole corpus carries no evidence and goes first.
LEAST_COUNT = 0.5


class Holders(NamedTuple):
    """Which tokens hold which characters: `token[i]`, of several characters, holds the token `character[i]`."""

    token: np.ndarray  # int64[n]
    character: np.ndarray  # int64[n]

    def after(self, alive: np.ndarray) -> "Holders":
        """The same for the tokens that are alive (bool[n_tokens]), renumbered; a holder never outlives a character."""
        number = np.cumsum(alive) - 1
        kept = alive[self.token]
        return Holders(number[self.token[kept]], number[self.character[kept]])


def pruned_tokens(
    score: np.ndarray,
    expected_count: np.ndarray,
    n_special: int,
    target: int,
    shrink: float,
    holders: Holders | None = None,
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
    holders : where given, a character ranks right after the last of the tokens that hold it, if not later anyway.
    """
    rare = expected_count[N_BYTES:] < LEAST_COUNT
    n_prunable = rare.size
    excess = n_special + N_BYTES + n_prunable - target
    order = np.lexsort((np.arange(n_prunable), _rounded(score[N_BYTES:]), ~rare))
    n_rare = int(rare.sum())
    if holders is not None:
        rank = np.empty(n_prunable, dtype=np.int64)
        rank[order] = np.arange(n_prunable)
        own = rank.copy()
        np.maximum.at(rank, holders.character - N_BYTES, rank[holders.token - N_BYTES])
        order = np.lexsort((own, rank > own, rank))
        n_rare = int((rank < n_rare).sum())
    n_removed = min(excess, max(math.ceil(shrink * n_prunable), n_rare))
    return N_BYTES + order[:n_removed]


def _rounded(score: np.ndarray) -> np.ndarray:
    """Scores to 33 bits (1e-10 relative), so that equal ones tie whatever rounding errors say."""
    mantissa, exponent = np.frexp(score)
    return np.ldexp(np.round(mantissa * 2.0**33), exponent - 33)
