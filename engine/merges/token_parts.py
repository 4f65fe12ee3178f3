"""Tokens found by their bytes: words that are tokens, and all ways to split a token into two tokens.

The latter is what byte-level BPE by ranks may merge.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import inlined, kernel, subkernel
from engine.corpus.pretokens.pretokenize import MOST_BYTES, _utf8_byte, _utf8_size
from engine.lattice.encoding import _sizes

# Characters whose first byte is 0xEA to 0xED: Hangul.
_NEAR, _FAR = 0xA000, 0xD800
_LEAD = re.compile(rb"[\xea-\xed]")
_UNIT = re.compile(rb" ?(?:[\xea-\xec][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]")
_SPACE = ord(" ")
_BASE = 0x100000001B3  # the FNV-1 prime; odd, so its powers lose no bits


class ByteIndex(NamedTuple):
    """Tokens and a hash table of their bytes. Token i is `blob[ptr[i]:ptr[i + 1]]`."""

    blob: np.ndarray  # uint8[n_bytes]
    ptr: np.ndarray  # int64[n_tokens + 1]
    table: np.ndarray  # int32[capacity], -1: free


@inlined
def _is_near(code):
    return _NEAR <= code < _FAR


@subkernel
def _hash_bytes(data, begin, end):
    key = np.uint64(0)
    for i in range(begin, end):
        key = key * np.uint64(_BASE) + np.uint64(data[i]) + np.uint64(1)
    return key


@subkernel
def _place(blob, ptr, table, data, key, begin, end):
    """Slot of the token with the bytes `data[begin:end]` and hash `key`, or the free slot where it belongs."""
    mask = np.uint64(table.size - 1)
    slot = ((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while table[slot] >= 0:
        first = ptr[table[slot]]
        if ptr[table[slot] + 1] - first == end - begin:
            same = True
            for i in range(end - begin):
                if blob[first + i] != data[begin + i]:
                    same = False
                    break
            if same:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def _enter_tokens(blob, ptr, table):
    for token in range(ptr.size - 1):
        begin, end = ptr[token], ptr[token + 1]
        table[_place(blob, ptr, table, blob, _hash_bytes(blob, begin, end), begin, end)] = token


@kernel
def _to_symbols(codes, begin, end, blob, ptr, table, id_of_token, id_of_byte, units):
    """Symbols of the words `codes[begin[i]:end[i]]` (int32), and their ptr.

    A word that is a token is one symbol, which merges with nothing; another one is its bytes, or `first_units`.
    """
    longest, total = _sizes(begin, end)
    data = np.empty(MOST_BYTES * longest, dtype=np.uint8)
    symbols = np.empty(MOST_BYTES * total, dtype=np.int32)
    symbol_ptr = np.empty(begin.size + 1, dtype=np.int64)
    symbol_ptr[0] = 0
    n = 0
    for i in range(begin.size):
        n_bytes = 0
        for k in range(begin[i], end[i]):
            size = _utf8_size(codes[k])
            for b in range(size):
                data[n_bytes + b] = _utf8_byte(codes[k], size, b)
            n_bytes += size
        token = table[_place(blob, ptr, table, data, _hash_bytes(data, 0, n_bytes), 0, n_bytes)]
        if token >= 0:
            symbols[n] = id_of_token[token]
            n += 1
        else:
            at = 0
            for k in range(begin[i], end[i]):
                size = _utf8_size(codes[k])
                unit = np.int32(-1)
                if _is_near(codes[k]) and (k + 1 == end[i] or _is_near(codes[k + 1])):
                    if k == begin[i] or _is_near(codes[k - 1]):
                        unit = units[0, codes[k] - _NEAR]
                    elif k == begin[i] + 1 and codes[begin[i]] == _SPACE:
                        unit = units[1, codes[k] - _NEAR]
                        n -= unit >= 0  # which the space is a part of
                if unit >= 0:
                    symbols[n] = unit
                    n += 1
                else:
                    for b in range(size):
                        symbols[n + b] = id_of_byte[data[at + b]]
                    n += size
                at += size
        symbol_ptr[i + 1] = n
    return symbols[:n], symbol_ptr


@kernel
def _find_parts(blob, ptr, table, left, right, made):
    """Write all splits to left, right and made; returns their number."""
    longest, _ = _sizes(ptr[:-1], ptr[1:])
    power = np.ones(longest + 1, dtype=np.uint64)
    for i in range(longest):
        power[i + 1] = power[i] * np.uint64(_BASE)
    n = 0
    for token in range(ptr.size - 1):
        begin, end = ptr[token], ptr[token + 1]
        whole = _hash_bytes(blob, begin, end)
        key = np.uint64(0)
        for cut in range(begin + 1, end):
            key = key * np.uint64(_BASE) + np.uint64(blob[cut - 1]) + np.uint64(1)
            a = table[_place(blob, ptr, table, blob, key, begin, cut)]
            if a < 0:
                continue
            rest = whole - key * power[end - cut]
            b = table[_place(blob, ptr, table, blob, rest, cut, end)]
            if b < 0:
                continue
            left[n], right[n], made[n] = a, b, token
            n += 1
    return n


def index_bytes(tokens: list[bytes]) -> ByteIndex:
    """Index of the tokens, which are distinct and not empty."""
    blob = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    ptr = np.concatenate([[0], np.cumsum([len(token) for token in tokens])]).astype(np.int64)
    table = np.full(1 << (2 * len(tokens)).bit_length(), -1, dtype=np.int32)
    _enter_tokens(blob, ptr, table)
    return ByteIndex(blob, ptr, table)


def two_parts(index: ByteIndex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices (int32 each) of the left part, the right part and the token that they form, ordered by the latter.

    Examples
    --------
    >>> [column.tolist() for column in two_parts(index_bytes([b"a", b"b", b"ab", b"bb", b"abb"]))]
    [[0, 1, 0, 2], [1, 1, 3, 1], [2, 3, 4, 4]]
    """
    most = max(0, index.blob.size - index.ptr.size + 1)  # every cut of every token
    columns = [np.empty(most, dtype=np.int32) for _ in range(3)]
    n = _find_parts(*index, *columns)
    left, right, made = (column[:n].copy() for column in columns)
    return left, right, made


def first_units(ranks: Mapping[bytes, int]) -> np.ndarray:
    """Tokens that are a character, or a space and a character, and that any word's bytes merge into before they go on.

    int32[2, n], by code point from `_NEAR`; -1: not such a token. Beside it are characters of this range or the ends
    of the word. A token that reaches from there to a place within the unit has a higher rank than the merges until one
    closes that place, and a token that the unit is a part of has a higher rank than all merges of the unit.
    """
    right: dict[bytes, int] = {}  # the lowest rank of the tokens that begin so, at most with more before, and go on
    left: dict[bytes, int] = {}  # the lowest rank of those that have this after another character
    none = max(ranks.values()) + 1
    near = sorted(filter(_LEAD.search, ranks), key=ranks.__getitem__, reverse=True)
    for token in near:
        for lead in _LEAD.finditer(token, 1):
            at = lead.start()
            right[token[max(at - 3, 0) : at]] = right[token[max(at - 4, 0) : at]] = ranks[token]
            if token[at - 1] >= 0x80:
                left[token[at : at + 3]] = ranks[token]
    units = np.full((2, _FAR - _NEAR), -1, dtype=np.int32)
    for token in filter(_UNIT.fullmatch, near):
        parts, closed, highest = [bytes([byte]) for byte in token], {}, 0
        while len(parts) > 1:
            rank, k = min((ranks.get(a + b, none), k) for k, (a, b) in enumerate(pairwise(parts)))
            highest = max(highest, rank)
            closed[len(b"".join(parts[: k + 1]))] = highest
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
        closed[0] = closed[len(token)] = highest
        if all(min(right.get(token[at:], none), left.get(token[:at], none)) > rank for at, rank in closed.items()):
            units[int(token[:1] == b" "), ord(token.decode().strip(" ")) - _NEAR] = ranks[token]
    return units
