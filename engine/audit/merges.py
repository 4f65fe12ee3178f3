"""Tokens that a text only passes through: parts of merges that it never leaves standing."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.tokenizer import Tokenizer

_Parts = Callable[[int], Sequence[int]]


def intermediate(tokenizer: Tokenizer, counts: np.ndarray) -> np.ndarray | None:
    """Tokens that were merged into others wherever the text has them.

    Parameters
    ----------
    counts : int64[vocab_size], how often each token occurs in the text.

    Returns
    -------
    ids : int64[n], ascending; None if the tokenizer does not merge, or its file does not say what.
    """
    parts = _parts_by_history(tokenizer) if tokenizer.merges is not None else _parts_by_rank(tokenizer)
    if parts is None:
        return None
    used = set(np.flatnonzero(counts).tolist())
    passed: set[int] = set()
    waiting = list(used)
    while waiting:
        for part in parts(waiting.pop()):
            if part not in passed:
                passed.add(part)
                waiting.append(part)
    return np.array(sorted(passed - used), dtype=np.int64)


def _parts_by_history(tokenizer: Tokenizer) -> _Parts:
    merges = tokenizer.merges
    assert merges is not None
    history, n_first = merges.history, merges.n_first

    def parts(token: int) -> Sequence[int]:
        merge = token - n_first
        return (int(history.left[merge]), int(history.right[merge])) if 0 <= merge < history.n_merges else ()

    return parts


def _parts_by_rank(tokenizer: Tokenizer) -> _Parts | None:
    ranks = tokenizer.byte_ranks()
    if ranks is None:
        return None
    known: Mapping[bytes, int] = ranks

    def parts(token: int) -> Sequence[int]:
        return parts_of(tokenizer.token_bytes(token), known)

    return parts


def parts_of(data: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The two tokens that merge into this one; empty for a byte, and for a token that no merge makes."""
    parts = [data[at : at + 1] for at in range(len(data))]
    rank = ranks.get(data, -1)
    while len(parts) > 2:
        pairs = [ranks.get(parts[at] + parts[at + 1], rank) for at in range(len(parts) - 1)]
        lowest = min(pairs)
        if lowest >= rank:
            return []
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts] if len(parts) == 2 and all(part in ranks for part in parts) else []
