"""Splitting pre-tokens where no token crosses any more.

Once the longest tokens are removed, most pre-tokens have positions that no arc crosses. The lattices between them are
independent: the sum over all segmentations is the product of theirs, and a sentence may as well be a list of the parts.
Parts repeat much more often than whole pre-tokens, and each is stored once per shard.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import (
    Corpus,
    Pretokens,
    _count_pretokens,
    _gather,
    _hash_range,
    joined_numbers,
    joined_pretokens,
    joined_ptr,
    offsets,
)
from engine.machine.threads import in_threads
from engine.unigram.train.arcs import Arcs, close_gaps, cut_arcs, move_arcs

_ROOM = 1 << 12  # distinct parts for which there is room at first; it doubles


class SplitCorpus(NamedTuple):
    """A corpus whose pre-tokens are the parts, with their arcs; `arcs.repeats` is reset."""

    corpus: Corpus
    arcs: Arcs
    first: np.ndarray  # int64[n], the given characters in the new corpus


class _Parts(NamedTuple):
    """The parts of the pre-tokens of a shard; numbers are relative to the shard, but `begin` and `end` are not.

    Pre-token p is the parts `ids[ptr[p]:ptr[p + 1]]`. Equal parts have equal ids, in order of first appearance.
    """

    ptr: np.ndarray  # int64[n_pretokens + 1]
    ids: np.ndarray  # int32
    begin: np.ndarray  # int64[n_distinct], first appearance in the characters
    end: np.ndarray  # int64[n_distinct]


class _SplitShard(NamedTuple):
    """A shard of the new corpus; numbers are relative to the shard."""

    parts: _Parts
    pretokens: Pretokens
    sentence_ptr: np.ndarray  # int64[n_sentences + 1]
    sentence_pretoken: np.ndarray  # int32
    stop: np.ndarray  # int64[n_pretokens], of the arcs


@kernel
def _begins(ptr, p0, p1, first, stop, end, length):
    """Whether a part begins at each character of the pre-tokens p0..p1-1 (bool[n_chars])."""
    base = ptr[p0]
    longest = np.ones(ptr[p1] - base, dtype=np.uint8)  # arc that ends after each character
    for p in range(p0, p1):
        for a in range(stop[p] - 1, first[p] - 1, -1):  # the longest is the first
            longest[np.int64(end[a]) - p - 1 - base] = length[a]
    begins = np.empty(longest.size, dtype=np.bool_)
    for p in range(p0, p1):
        least = ptr[p + 1] - base  # begin of the arcs that end after character i
        for i in range(ptr[p + 1] - base - 1, ptr[p] - base - 1, -1):
            least = min(least, i + 1 - np.int64(longest[i]))
            begins[i] = least == i
    return begins


@kernel
def _find_parts(chars, ptr, p0, p1, begins):
    """The arrays of `_Parts` for the pre-tokens p0..p1-1."""
    base = ptr[p0]
    part_ptr = np.empty(p1 - p0 + 1, dtype=np.int64)
    ids = np.empty(begins.sum(), dtype=np.int32)
    begin = np.empty(ids.size, dtype=np.int64)
    end = np.empty(ids.size, dtype=np.int64)
    hashes = np.empty(ids.size, dtype=np.uint64)
    table = np.empty(max(2 * _ROOM, 4 * ids.size), dtype=np.int32)  # only the first 2 * room are used
    room = _ROOM
    mask = np.uint64(2 * room - 1)
    table[: 2 * room] = -1
    n_parts, n_distinct = 0, 0
    part_ptr[0] = 0
    for p in range(p0, p1):
        i = ptr[p]
        while i < ptr[p + 1]:
            j = i + 1
            while j < ptr[p + 1] and not begins[j - base]:
                j += 1
            h = _hash_range(chars, i, j)
            h ^= h >> np.uint64(32)
            slot = h & mask
            while True:
                other = np.int64(table[slot])
                if other < 0:
                    other = n_distinct
                    table[slot] = other
                    begin[other], end[other], hashes[other] = i, j, h
                    n_distinct += 1
                    break
                if hashes[other] == h and end[other] - begin[other] == j - i:
                    k = 0
                    while k < j - i and chars[begin[other] + k] == chars[i + k]:
                        k += 1
                    if k == j - i:
                        break
                slot = (slot + np.uint64(1)) & mask
            ids[n_parts] = other
            n_parts += 1
            if n_distinct == room:
                room *= 2
                mask = np.uint64(2 * room - 1)
                table[: 2 * room] = -1
                for known in range(n_distinct):
                    slot = hashes[known] & mask
                    while table[slot] >= 0:
                        slot = (slot + np.uint64(1)) & mask
                    table[slot] = known
            i = j
        part_ptr[p - p0 + 1] = n_parts
    return part_ptr, ids, begin[:n_distinct].copy(), end[:n_distinct].copy()


@kernel
def _keep_arcs(p0, p1, first, stop, end, length, token, parts):
    """Keep the arcs of the first of equal parts, compacted in place, with nodes relative to the shard.

    Returns their `stop` (int64[n_distinct]), relative to the first arc of the shard.
    """
    part_ptr, ids, part_begin, part_end = parts
    new_stop = np.empty(part_begin.size, dtype=np.int64)
    base = first[p0] if p0 < p1 else 0
    known, n_nodes, k = 0, 0, base
    for p in range(p0, p1):
        a = first[p]
        for i in range(part_ptr[p - p0], part_ptr[p - p0 + 1]):
            x = ids[i]
            if x < known:  # equal parts have equal arcs
                a += new_stop[x] - (new_stop[x - 1] if x > 0 else 0)
                continue
            moved = n_nodes - part_begin[x] - p  # offset of the nodes
            while a < stop[p] and end[a] - p <= part_end[x]:
                end[k] = end[a] + moved
                length[k] = length[a]
                token[k] = token[a]
                k += 1
                a += 1
            new_stop[x] = k - base
            n_nodes += part_end[x] - part_begin[x] + 1
            known += 1
    return new_stop


@kernel
def _sentences(sentence_ptr, sentence_pretoken, y0, y1, p0, parts):
    """The sentences y0..y1-1 as lists of parts: ptr and parts."""
    part_ptr, part_ids, _, _ = parts
    ptr = np.empty(y1 - y0 + 1, dtype=np.int64)
    ptr[0] = 0
    for y in range(y0, y1):
        ptr[y - y0 + 1] = ptr[y - y0]
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            p = sentence_pretoken[i] - p0
            ptr[y - y0 + 1] += part_ptr[p + 1] - part_ptr[p]
    ids = np.empty(ptr[-1], dtype=np.int32)
    k = 0
    for j in range(sentence_ptr[y0], sentence_ptr[y1]):
        p = sentence_pretoken[j] - p0
        for i in range(part_ptr[p], part_ptr[p + 1]):
            ids[k] = part_ids[i]
            k += 1
    return ptr, ids


@kernel
def _find_characters(first, found, ptr, p0, p1, parts, new_ptr, offset):
    """Set `found` to the new positions of the characters `first` that are in the pre-tokens p0..p1-1."""
    for t in range(first.size):
        if ptr[p0] <= first[t] < ptr[p1]:
            p = np.searchsorted(ptr[p0 : p1 + 1], first[t], side="right") - 1
            begin, i = ptr[p0 + p], parts.ptr[p]
            while begin + parts.end[parts.ids[i]] - parts.begin[parts.ids[i]] <= first[t]:
                begin += parts.end[parts.ids[i]] - parts.begin[parts.ids[i]]
                i += 1
            found[t] = offset + new_ptr[parts.ids[i]] + first[t] - begin


def _split_shard(corpus: Corpus, arcs: Arcs, shard: int) -> _SplitShard:
    """Split the pre-tokens of one shard; compacts its arcs in place."""
    chars, ptr, _ = corpus.pretokens
    p0, p1 = corpus.shard_pretoken[shard : shard + 2]
    y0, y1 = corpus.shard_sentence[shard : shard + 2]
    begins = _begins(ptr, p0, p1, arcs.first, arcs.stop, arcs.end, arcs.length)
    parts = _Parts(*_find_parts(chars, ptr, p0, p1, begins))
    stop = _keep_arcs(p0, p1, *arcs[:5], parts)
    sentence_ptr, sentence_part = _sentences(corpus.sentence_ptr, corpus.sentence_pretoken, y0, y1, p0, parts)
    count = _count_pretokens(sentence_part, sentence_ptr, corpus.sentence_count[y0:y1], parts.begin.size)
    new_chars, new_ptr = _gather(chars, parts.begin, parts.end)
    return _SplitShard(parts, Pretokens(new_chars, new_ptr, count), sentence_ptr, sentence_part, stop)


def split(corpus: Corpus, arcs: Arcs, first: np.ndarray, threads: int = 1) -> SplitCorpus:
    """Split the pre-tokens of the corpus wherever no arc crosses; consumes `arcs`.

    `first` (int64[n]) are positions in the characters of the corpus (-1: none) to map to the new corpus.
    """
    close_gaps(arcs, corpus)
    shards = in_threads(threads, corpus.n_shards, partial(_split_shard, corpus, arcs))
    shard_pretoken = offsets([shard.stop.size for shard in shards])
    char_at = offsets([shard.pretokens.chars.size for shard in shards])
    arc_at = offsets([int(shard.stop[-1]) if shard.stop.size else 0 for shard in shards])
    found = np.full(first.size, -1, dtype=np.int64)
    for k, shard in enumerate(shards):
        p0, p1 = corpus.shard_pretoken[k : k + 2]
        if p0 == p1:
            continue
        _find_characters(first, found, corpus.pretokens.ptr, p0, p1, shard.parts, shard.pretokens.ptr, char_at[k])
        move_arcs(arcs, int(arcs.first[p0]), int(arc_at[k]), int(shard.stop[-1]))
        arcs.end[arc_at[k] : arc_at[k + 1]] += np.uint32(char_at[k] + shard_pretoken[k])
    cut_arcs(arcs, int(arc_at[-1]))
    arcs.repeats.resize(arcs.end.size, refcheck=False)
    stop = np.concatenate([shard.stop + at for shard, at in zip(shards, arc_at[:-1], strict=True)])
    return SplitCorpus(
        corpus._replace(
            pretokens=joined_pretokens([shard.pretokens for shard in shards]),
            sentence_ptr=joined_ptr([shard.sentence_ptr for shard in shards]),
            sentence_pretoken=joined_numbers([shard.sentence_pretoken for shard in shards], shard_pretoken),
            shard_pretoken=shard_pretoken,
        ),
        arcs._replace(first=np.concatenate([np.zeros(1, dtype=np.int64), stop[:-1]]), stop=stop),
        found,
    )
