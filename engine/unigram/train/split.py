"""Splitting pre-tokens where no token crosses any more.

Once the longest tokens are removed, most pre-tokens have positions that no arc crosses. The lattices between them are
independent: the sum over all segmentations is the product of theirs, and a sentence may as well be a list of the parts.
Parts repeat much more often than whole pre-tokens, and each is stored once.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.corpus.arrays import Corpus, Pretokens, _count_pretokens, _gather, _intern, frozen
from engine.unigram.train.arcs import Arcs, close_gaps, cut_arcs


class SplitCorpus(NamedTuple):
    """A corpus whose pre-tokens are the parts, with their arcs; `arcs.repeats` is reset."""

    corpus: Corpus
    arcs: Arcs
    first: np.ndarray  # int64[n], the given characters in the new corpus


@kernel
def _begins(ptr, first, stop, end, length):
    """Whether a part begins at each character (bool[n_chars])."""
    begins = np.ones(ptr[-1], dtype=np.bool_)
    for p in range(ptr.size - 1):
        for a in range(first[p], stop[p]):
            last = np.int64(end[a]) - p
            for i in range(last - np.int64(length[a]) + 1, last):
                begins[i] = False
    return begins


@kernel
def _keep_arcs(ptr, arcs, part_ptr, part_begin, ids):
    """Keep the arcs of the first of equal parts, compacted in place; returns their `first` and `stop`."""
    n_parts = 0
    for i in range(ids.size):
        n_parts = max(n_parts, np.int64(ids[i]) + 1)
    new_first = np.empty(n_parts, dtype=np.int64)
    new_stop = np.empty(n_parts, dtype=np.int64)
    known = 0
    n_chars = 0
    k = 0
    for p in range(ptr.size - 1):
        a = arcs.first[p]
        for i in range(part_ptr[p], part_ptr[p + 1]):
            part_end = part_begin[i + 1] if i + 1 < part_ptr[p + 1] else ptr[p + 1]
            moved = n_chars + known - part_begin[i] - p  # offset of the nodes
            is_new = ids[i] == known
            if is_new:
                new_first[known] = k
            while a < arcs.stop[p] and arcs.end[a] - p <= part_end:
                if is_new:
                    arcs.end[k] = arcs.end[a] + moved
                    arcs.length[k] = arcs.length[a]
                    arcs.token[k] = arcs.token[a]
                    k += 1
                a += 1
            if is_new:
                new_stop[known] = k
                known += 1
                n_chars += part_end - part_begin[i]
    return new_first, new_stop


@kernel
def _sentences(sentence_ptr, sentence_pretoken, part_ptr, ids):
    """The sentences as lists of parts: ptr and parts."""
    ptr = np.empty_like(sentence_ptr)
    ptr[0] = 0
    for y in range(ptr.size - 1):
        ptr[y + 1] = ptr[y]
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            p = sentence_pretoken[i]
            ptr[y + 1] += part_ptr[p + 1] - part_ptr[p]
    parts = np.empty(ptr[-1], dtype=np.int32)
    k = 0
    for p in sentence_pretoken:
        for i in range(part_ptr[p], part_ptr[p + 1]):
            parts[k] = ids[i]
            k += 1
    return ptr, parts


def split(corpus: Corpus, arcs: Arcs, first: np.ndarray) -> SplitCorpus:
    """Split the pre-tokens of the corpus wherever no arc crosses; consumes `arcs`.

    `first` (int64[n]) are positions in the characters of the corpus (-1: none) to map to the new corpus.
    """
    chars, ptr, _ = corpus.pretokens
    chars = frozen(chars)
    close_gaps(arcs)
    begins = _begins(ptr, arcs.first, arcs.stop, arcs.end, arcs.length)
    edges = np.append(np.flatnonzero(begins), chars.size)
    part_begin, part_end = edges[:-1], edges[1:]
    part_of = np.cumsum(begins, dtype=np.int32)
    part_of -= 1
    part_ptr, part = np.append(part_of[ptr[:-1]], part_begin.size), part_of[first]
    del begins, part_of  # as large as the corpus
    shard = np.repeat(np.arange(corpus.n_shards), np.diff(part_ptr[corpus.shard_pretoken]))
    ids, kept = _intern(chars, part_begin, part_end, shard)
    shard_pretoken = np.searchsorted(shard[kept], np.arange(corpus.n_shards + 1))
    del shard
    new_first, new_stop = _keep_arcs(ptr, arcs, part_ptr, part_begin, ids)
    cut_arcs(arcs, int(new_stop[-1]))
    sentence_ptr, sentence_part = _sentences(corpus.sentence_ptr, corpus.sentence_pretoken, part_ptr, ids)
    new_chars, new_ptr = _gather(chars, part_begin[kept], part_end[kept])
    count = _count_pretokens(sentence_part, sentence_ptr, corpus.sentence_count, kept.size)
    found = np.where(first >= 0, new_ptr[ids[part]] + first - part_begin[part], -1)
    return SplitCorpus(
        corpus._replace(
            pretokens=Pretokens(new_chars, new_ptr, count),
            sentence_ptr=sentence_ptr,
            sentence_pretoken=sentence_part,
            shard_pretoken=shard_pretoken,
        ),
        arcs._replace(first=new_first, stop=new_stop),
        found,
    )
