"""Tries over code points, each stored in one hash table."""

from typing import NamedTuple

import numpy as np

from engine._jit import inlined, kernel, subkernel


class Trie(NamedTuple):
    """Children are stored under the key `node << 21 | code point`; node 0 is the root.

    `token[node]` is the token that ends at the node, or -1.
    """

    keys: np.ndarray  # int64[capacity], -1: free
    children: np.ndarray  # int32[capacity]
    token: np.ndarray  # int32[n_nodes]


@subkernel
def _slot(keys, key):
    """Slot of `key` in the table, or the free slot where it belongs."""
    mask = np.uint64(keys.size - 1)
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (h >> np.uint64(20)) & mask
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    return slot


@subkernel
def _child(keys, children, node, code):
    """The child of `node` for the code point, or -1."""
    key = (np.int64(node) << 21) | code
    slot = _slot(keys, key)
    return children[slot] if keys[slot] == key else -1


@subkernel
def _longest_match(keys, children, token, codes, at):
    """Length of the longest text in the trie that begins at `codes[at]`, or 0."""
    length = 0
    node = 0
    for i in range(at, codes.size):
        node = _child(keys, children, node, codes[i])
        if node < 0:
            break
        if token[node] >= 0:
            length = i + 1 - at
    return length


@kernel
def _insert_all(codes, ptr, tokens, keys, children, token):
    n_nodes = 1
    for i in range(tokens.size):
        node = 0
        for j in range(ptr[i], ptr[i + 1]):
            key = (np.int64(node) << 21) | codes[j]
            slot = _slot(keys, key)
            if keys[slot] != key:
                keys[slot] = key
                children[slot] = n_nodes
                n_nodes += 1
            node = children[slot]
        token[node] = tokens[i]
    return n_nodes


def build_trie(texts: list[str], tokens: np.ndarray) -> Trie:
    """Trie of the texts (none empty); `tokens[i]` (int32) is the token of `texts[i]`."""
    return trie_of(*_flat(texts), tokens)


def trie_of(codes: np.ndarray, ptr: np.ndarray, tokens: np.ndarray) -> Trie:
    """Trie of the texts `codes[ptr[i]:ptr[i + 1]]`; the rest as of `build_trie`."""
    keys = _free_keys(codes)
    children = np.empty(keys.size, dtype=np.int32)
    token = np.full(codes.size + 1, -1, dtype=np.int32)
    n_nodes = _insert_all(codes, ptr, tokens, keys, children, token)
    return Trie(keys, children, token[:n_nodes].copy())


class ReversedTrie(NamedTuple):
    """A trie of texts read from their ends, for search only. A node is one more than its slot; node 0 is the root.

    The key of a child is `(node << 21 | code point) << 1`, plus 1 if the child is a leaf, so that a search reads one
    place for each character and stops at a leaf. `token[node]` is the token that begins at the node, or -1.
    """

    keys: np.ndarray  # int64[capacity], -1: free
    token: np.ndarray  # int32[capacity + 1]


@inlined
def _slot_before(keys, node, code):
    """Slot of the child of `node` for the code point that precedes, or the free slot where it belongs."""
    mask = np.uint64(keys.size - 1)
    key = (np.int64(node) << 21) | code
    slot = ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[slot] >> 1 != key and keys[slot] != -1:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel
def _insert_reversed(codes, ptr, tokens, keys, token):
    for i in range(tokens.size):
        node = np.int64(0)
        for j in range(ptr[i + 1] - 1, ptr[i] - 1, -1):
            slot = _slot_before(keys, node, codes[j])
            if keys[slot] == -1:
                keys[slot] = ((node << 21) | codes[j]) << 1 | 1
                if node > 0:
                    keys[node - 1] &= ~1
            node = slot + 1
        token[node] = tokens[i]


def build_reversed_trie(texts: list[str], tokens: np.ndarray) -> ReversedTrie:
    """Reversed trie of the texts (none empty); `tokens[i]` (int32) is the token of `texts[i]`."""
    codes, ptr = _flat(texts)
    keys = _free_keys(codes)
    trie = ReversedTrie(keys, np.full(keys.size + 1, -1, dtype=np.int32))
    _insert_reversed(codes, ptr, tokens, *trie)
    return trie


def _free_keys(codes: np.ndarray) -> np.ndarray:
    """A table that is at most half full with a node for each of the codes."""
    return np.full(max(16, 1 << (2 * codes.size + 1).bit_length()), -1, dtype=np.int64)


def _flat(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Code points of all texts, and their ptr."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.int32)
    ptr = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return codes, ptr
