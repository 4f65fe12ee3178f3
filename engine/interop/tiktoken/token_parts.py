"""All ways to split a token into two tokens: what byte-level BPE by ranks may merge."""

import numpy as np

from engine._jit import kernel, subkernel

_BASE = 0x100000001B3  # the FNV-1 prime; odd, so its powers lose no bits


@subkernel
def _place(blob, ptr, table, key, begin, end):
    """Slot of the token with the bytes `blob[begin:end]` and hash `key`, or the free slot where it belongs."""
    mask = np.uint64(table.size - 1)
    slot = ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while table[slot] >= 0:
        first = ptr[table[slot]]
        if ptr[table[slot] + 1] - first == end - begin:
            same = True
            for i in range(end - begin):
                if blob[first + i] != blob[begin + i]:
                    same = False
                    break
            if same:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def _enter_tokens(blob, ptr, table):
    for token in range(ptr.size - 1):
        key = np.uint64(0)
        for i in range(ptr[token], ptr[token + 1]):
            key = key * np.uint64(_BASE) + np.uint64(blob[i]) + np.uint64(1)
        table[_place(blob, ptr, table, key, ptr[token], ptr[token + 1])] = token


@kernel
def _find_parts(blob, ptr, table, left, right, made):
    """Write all splits to left, right and made; returns their number."""
    longest = 0
    for token in range(ptr.size - 1):
        longest = max(longest, ptr[token + 1] - ptr[token])
    power = np.ones(longest + 1, dtype=np.uint64)
    for i in range(longest):
        power[i + 1] = power[i] * np.uint64(_BASE)
    n = 0
    for token in range(ptr.size - 1):
        begin, end = ptr[token], ptr[token + 1]
        whole = np.uint64(0)
        for i in range(begin, end):
            whole = whole * np.uint64(_BASE) + np.uint64(blob[i]) + np.uint64(1)
        key = np.uint64(0)
        for cut in range(begin + 1, end):
            key = key * np.uint64(_BASE) + np.uint64(blob[cut - 1]) + np.uint64(1)
            a = table[_place(blob, ptr, table, key, begin, cut)]
            if a < 0:
                continue
            rest = whole - key * power[end - cut]
            b = table[_place(blob, ptr, table, rest, cut, end)]
            if b < 0:
                continue
            left[n], right[n], made[n] = a, b, token
            n += 1
    return n


def two_parts(tokens: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices (int32 each) of the left part, the right part and the token that they form, ordered by the latter.

    Parameters
    ----------
    tokens : distinct, none empty.

    Examples
    --------
    >>> [column.tolist() for column in two_parts([b"a", b"b", b"ab", b"bb", b"abb"])]
    [[0, 1, 0, 2], [1, 1, 3, 1], [2, 3, 4, 4]]
    """
    blob = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    ptr = np.concatenate([[0], np.cumsum([len(token) for token in tokens])]).astype(np.int64)
    table = np.full(1 << (2 * len(tokens)).bit_length(), -1, dtype=np.int32)
    _enter_tokens(blob, ptr, table)
    columns = [np.empty(max(0, blob.size - len(tokens)), dtype=np.int32) for _ in range(3)]  # every cut of every token
    n = _find_parts(blob, ptr, table, *columns)
    left, right, made = (column[:n].copy() for column in columns)
    return left, right, made
