"""Which tokens a pruning round removes (Thunder-Tok paper, Algorithm 1).

With `sentencepiece_safe` no token outlives a character that it contains. SentencePiece gives all unknown characters the
same cost; here the cost is that of the bytes. Only if a character without a token is in no other token either do all
paths through a text pay the same for it, and both programs choose the same path.
"""

import math
from typing import NamedTuple

import numpy as np

from engine.config import N_BYTES

# A token with a smaller expected count in the whole corpus has no support and is removed first.
LEAST_COUNT = 0.5


class Holders(NamedTuple):
    """Pairs of tokens and the characters they contain: the multi-character `token[i]` contains `character[i]`."""

    token: np.ndarray  # int64[n]
    character: np.ndarray  # int64[n]

    def after(self, alive: np.ndarray) -> "Holders":
        """The pairs of the tokens that are alive (bool[n_tokens]), renumbered."""
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
    """Indices of the tokens to remove, in ascending rank order.

    The lowest share `shrink` of the prunable tokens (all but the bytes) is removed, and every token with an expected
    count below 0.5, but never more than `target` allows. Tokens with an expected count below 0.5 rank lowest; then
    tokens rank by score, then by their bytes, in which they are sorted.

    Parameters
    ----------
    score : float64[n_tokens]; the first 256 are the bytes.
    expected_count : float64[n_tokens].
    n_special : number of special tokens, which count towards the size.
    target : final size, including special tokens and bytes.
    holders : if given, a character ranks after all tokens that contain it.
    """
    rare = expected_count[N_BYTES:] < LEAST_COUNT
    n_prunable = rare.size
    excess = n_special + N_BYTES + n_prunable - target
    rounded = _rounded(score[N_BYTES:])
    n_rare = int(rare.sum())
    if holders is not None:
        rank = np.empty(n_prunable, dtype=np.int64)
        rank[np.lexsort((rounded, ~rare))] = np.arange(n_prunable)
        own = rank.copy()
        np.maximum.at(rank, holders.character - N_BYTES, rank[holders.token - N_BYTES])
        order = np.lexsort((own, rank > own, rank))
        n_rare = int((rank < n_rare).sum())
    n_removed = min(excess, max(math.ceil(shrink * n_prunable), n_rare))
    if holders is None:
        # Sorting only those that may be removed takes a third of the time.
        level = np.where(rare, -np.inf, rounded)
        candidates = np.flatnonzero(level <= np.partition(level, n_removed - 1)[n_removed - 1])
        order = candidates[np.lexsort((rounded[candidates], ~rare[candidates]))]
    return N_BYTES + order[:n_removed]


def _rounded(score: np.ndarray) -> np.ndarray:
    """Scores rounded to 33 bits (1e-10 relative), so that equal ones tie despite rounding errors."""
    mantissa, exponent = np.frexp(score)
    return np.ldexp(np.round(mantissa * 2.0**33), exponent - 33)
