"""The record of a merge training: enough to step through it and to read the corpus size after any merge."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second to load, and most commands do not need it


class MergeHistory(NamedTuple):
    """The merges in order. Merge k creates the token with id `n_first + k`."""

    left: np.ndarray  # int32[n_merges], ids of the parts
    right: np.ndarray  # int32[n_merges]
    frequency: np.ndarray  # int64[n_merges], occurrences of the pair; of `a a a`, the pair (a, a) has two
    score: np.ndarray  # float64[n_merges], the criterion: the count, or the likelihood gain
    runner_left: np.ndarray  # int32[n_merges], the runner-up pair; -1 if there was none
    runner_right: np.ndarray  # int32[n_merges]
    runner_frequency: np.ndarray  # int64[n_merges]
    runner_score: np.ndarray  # float64[n_merges]
    n_ties: np.ndarray  # int64[n_merges], pairs with the best score, the chosen one included: 1 is no tie
    n_tokens: np.ndarray  # int64[n_merges], tokens of the corpus after the merge

    @property
    def n_merges(self) -> int:
        """Number of merges."""
        return int(self.left.size)

    def head(self, n: int) -> "MergeHistory":
        """The first n merges."""
        return MergeHistory(*(column[:n] for column in self))


def empty_history(capacity: int) -> MergeHistory:
    """An uninitialized history of `capacity` merges."""
    ids = (np.empty(capacity, dtype=np.int32) for _ in range(4))
    counts = (np.empty(capacity, dtype=np.int64) for _ in range(4))
    left, right, runner_left, runner_right = ids
    frequency, runner_frequency, n_ties, n_tokens = counts
    return MergeHistory(
        left,
        right,
        frequency,
        np.empty(capacity),
        runner_left,
        runner_right,
        runner_frequency,
        np.empty(capacity),
        n_ties,
        n_tokens,
    )


def join_histories(parts: list[MergeHistory]) -> MergeHistory:
    """Concatenate consecutive histories."""
    return MergeHistory(*(np.concatenate(columns) for columns in zip(empty_history(0), *parts, strict=True)))


def history_table(history: MergeHistory, labels: list[str], n_first: int) -> "pd.DataFrame":
    """One row per merge.

    Columns: number (from 1), left, right, token (labels), id, count, score, runner_up_left, runner_up_right (labels,
    empty if none), runner_up_count, runner_up_score, n_ties (1: no tie), n_tokens (of the corpus after the merge),
    vocab_size.
    """
    import pandas as pd

    numbers = np.arange(history.n_merges)

    def names(ids: np.ndarray) -> list[str]:
        return [labels[i] if i >= 0 else "" for i in ids.tolist()]

    return pd.DataFrame(
        {
            "number": numbers + 1,
            "left": names(history.left),
            "right": names(history.right),
            "token": names(n_first + numbers),
            "id": n_first + numbers,
            "count": history.frequency,
            "score": history.score,
            "runner_up_left": names(history.runner_left),
            "runner_up_right": names(history.runner_right),
            "runner_up_count": history.runner_frequency,
            "runner_up_score": history.runner_score,
            "n_ties": history.n_ties,
            "n_tokens": history.n_tokens,
            "vocab_size": n_first + numbers + 1,
        }
    )
