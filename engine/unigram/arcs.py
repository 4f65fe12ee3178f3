"""Every lattice of the corpus in three flat arrays, made once and shrunk with the vocabulary.

The lattices of all distinct pre-tokens stand one behind the other, so that a node is a character of the corpus. A
character that is not a token of its own has a *fallback* arc: its bytes, one behind the other (see `fallback`).
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import Pretokens
from engine.unigram.seed import Level, SeedVocabulary


class Arcs(NamedTuple):
    """Arcs `ptr[i]:ptr[i + 1]` end behind character i, the longest (the earliest start) first.

    An arc covers `length` characters. Its token is an index into the vocabulary, or, from `n_tokens` on, the fallback
    of a character: `n_tokens + k` for character k of the alphabet.
    """

    ptr: np.ndarray  # int64[n_chars + 1]
    length: np.ndarray  # uint8[n_arcs]
    token: np.ndarray  # int32[n_arcs]


@kernel
def _count_ends(position, ptr, row, length, size):
    for g in range(row.size):
        if row[g] >= 0:
            for a in range(ptr[g], ptr[g + 1]):
                size[position[a] + length - 1] += 1


@kernel
def _fill_level(position, ptr, row, length, fill, arc_length, arc_token):
    for g in range(row.size):
        if row[g] >= 0:
            for a in range(ptr[g], ptr[g + 1]):
                end = position[a] + length - 1
                arc_length[fill[end]] = length
                arc_token[fill[end]] = row[g]
                fill[end] += 1


@kernel
def _fill_characters(chars, single, fallback, fill, arc_length, arc_token):
    """The arc of every single character: its token, its fallback, or (`fallback` >= 0 too) both."""
    for i in range(chars.size):
        c = chars[i]
        if single[c] >= 0:
            arc_length[fill[i]] = 1
            arc_token[fill[i]] = single[c]
            fill[i] += 1
        if fallback[c] >= 0:
            arc_length[fill[i]] = 1
            arc_token[fill[i]] = fallback[c]
            fill[i] += 1


def build_arcs(
    pretokens: Pretokens, seed: SeedVocabulary, levels: list[Level], rows: list[np.ndarray], partial_characters: bool
) -> Arcs:
    """Lattices of all pre-tokens over the seed vocabulary.

    With `partial_characters` a character has its fallback arc even while it is a token, because the paper's
    byte-level substrings compete with it.
    """
    chars = pretokens.chars
    single = np.full(0x110000, -1, dtype=np.int32)
    single[:0x80] = np.arange(0x80)
    single[seed.alphabet] = seed.character_row
    fallback = np.full(0x110000, -1, dtype=np.int32)
    without = np.arange(seed.alphabet.size) if partial_characters else np.flatnonzero(seed.character_row < 0)
    fallback[seed.alphabet[without]] = seed.n_rows + without
    size = ((single >= 0).astype(np.int8) + (fallback >= 0))[chars].astype(np.int64)
    for k in range(1, len(levels)):
        _count_ends(levels[k].position, levels[k].ptr, rows[k], k + 1, size)
    ptr = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    arcs = Arcs(ptr, np.empty(ptr[-1], dtype=np.uint8), np.empty(ptr[-1], dtype=np.int32))
    fill = ptr[:-1].copy()
    for k in range(len(levels) - 1, 0, -1):
        _fill_level(levels[k].position, levels[k].ptr, rows[k], k + 1, fill, arcs.length, arcs.token)
    _fill_characters(chars, single, fallback, fill, arcs.length, arcs.token)
    return arcs


@kernel
def _shrink(ptr, length, token, new_token):
    """Renumber the arcs' tokens in place and drop those that become -1."""
    k = 0
    begin = ptr[0]
    for i in range(ptr.size - 1):
        end = ptr[i + 1]
        ptr[i] = k
        for a in range(begin, end):
            t = new_token[token[a]]
            if t >= 0:
                token[k] = t
                length[k] = length[a]
                k += 1
        begin = end
    ptr[ptr.size - 1] = k
    return k


def shrink_arcs(arcs: Arcs, new_token: np.ndarray) -> Arcs:
    """Arcs over a smaller vocabulary: `new_token[t]` (int32) is the new number of token t, -1 drops its arcs.

    The arrays are compacted in place: `arcs` must not be used afterwards.
    """
    n = _shrink(arcs.ptr, arcs.length, arcs.token, new_token)
    return Arcs(arcs.ptr, arcs.length[:n], arcs.token[:n])
