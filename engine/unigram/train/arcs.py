"""All lattices of the corpus in flat arrays, built once and shrunk with the vocabulary.

The lattices of the distinct pre-tokens are consecutive, within a shard without gaps. A character that is not a token
has a *fallback* arc, the sequence of its bytes (see `fallback`).
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.config import TrainingSettings
from engine.corpus.arrays import Corpus, Pretokens
from engine.lattice.fallback import fallback_uses
from engine.machine.threads import in_threads
from engine.unigram.train.seed import Level, SeedVocabulary


class Arcs(NamedTuple):
    """The arcs `first[p]:stop[p]` are those of pre-token p, sorted by end, longest first.

    The nodes of all pre-tokens are numbered consecutively: pre-token p of n characters has the n + 1 nodes from
    `ptr[p] + p`. An arc ends at node `end` and begins `length` characters before it. Its token is an index into the
    vocabulary, or `n_tokens + k` for the fallback of character k of the alphabet.

    `repeats` is 0 if the token occurs nowhere else in any sentence with this pre-token: then P(x|y) is the probability
    of the arc. Otherwise it is the number of tokens that the arc may represent: 1, or more for a fallback. A token is
    removed everywhere at once, so a token that does not repeat never will.
    """

    first: np.ndarray  # int64[n_pretokens]
    stop: np.ndarray  # int64[n_pretokens]
    end: np.ndarray  # uint32[n_arcs], node
    length: np.ndarray  # uint8[n_arcs]
    token: np.ndarray  # uint32[n_arcs]
    repeats: np.ndarray  # uint8[n_arcs]


@kernel
def _count_ends(position, ptr, row, length, begin, end, size):
    """Count the arcs of one length that begin in the characters begin..end-1, by where they end."""
    for g in range(row.size):
        if row[g] >= 0:
            for a in range(ptr[g], ptr[g + 1]):
                if begin <= position[a] < end:
                    size[position[a] + length - 1] += 1


@kernel
def _first_arcs(ptr, size, arc_ptr):
    """Turn the number of arcs that end after each character into the index of the first one; fill `arc_ptr`."""
    total = 0
    for p in range(ptr.size - 1):
        arc_ptr[p] = total
        for i in range(ptr[p], ptr[p + 1]):
            here = size[i]
            size[i] = total
            total += here
    arc_ptr[ptr.size - 1] = total


@kernel
def _fill_level(position, ptr, row, length, begin, end, fill, arc_token):
    """Write the tokens of the arcs of one length that begin in the characters begin..end-1."""
    for g in range(row.size):
        if row[g] >= 0:
            for a in range(ptr[g], ptr[g + 1]):
                if begin <= position[a] < end:
                    last = position[a] + length - 1
                    arc_token[fill[last]] = row[g]
                    fill[last] += 1


@kernel
def _fill_characters(chars, ptr, p0, p1, single, fallback, row_length, fill, arc_ptr, arc_end, arc_length, arc_token):
    """Write the arcs of single characters (token, fallback, or both if both are >= 0), then the ends of all arcs.

    Only in the pre-tokens p0..p1-1.
    """
    k = arc_ptr[p0]
    for p in range(p0, p1):
        for i in range(ptr[p], ptr[p + 1]):
            c = chars[i]
            last = fill[i]
            if single[c] >= 0:
                arc_token[last] = single[c]
                last += 1
            if fallback[c] >= 0:
                arc_token[last] = fallback[c]
                last += 1
            while k < last:
                t = arc_token[k]
                arc_end[k] = i + p + 1
                arc_length[k] = row_length[t] if t < row_length.size else 1
                k += 1


def build_arcs(
    pretokens: Pretokens,
    seed: SeedVocabulary,
    levels: list[Level],
    rows: list[np.ndarray],
    partial_characters: bool,
    threads: int = 1,
) -> Arcs:
    """Lattices of all pre-tokens over the seed vocabulary.

    With `partial_characters` a character has a fallback arc even while it is a token, because the paper's byte-level
    substrings compete with it. `levels` is consumed: it and the arcs are the largest objects in memory.
    """
    chars = pretokens.chars
    cuts = pretokens.cuts(threads)
    char_cuts = pretokens.ptr[cuts]  # each thread has a range of its own

    def each(kernel: Callable[..., None], level: Level, length: int, *columns: np.ndarray) -> None:
        given = (level.position, level.ptr, rows[length - 1], length)
        in_threads(threads, threads, lambda k: kernel(*given, char_cuts[k], char_cuts[k + 1], *columns))

    single = np.full(0x110000, -1, dtype=np.int32)
    single[:0x80] = np.arange(0x80)
    single[seed.alphabet] = seed.character_row
    fallback = np.full(0x110000, -1, dtype=np.int32)
    without = np.arange(seed.alphabet.size) if partial_characters else np.flatnonzero(seed.character_row < 0)
    fallback[seed.alphabet[without]] = seed.n_rows + without
    fill = ((single >= 0).astype(np.uint8) + (fallback >= 0))[chars].astype(np.uint32)
    for k in range(1, len(levels)):
        each(_count_ends, levels[k], k + 1, fill)
    ptr = np.empty(pretokens.ptr.size, dtype=np.int64)
    _first_arcs(pretokens.ptr, fill, ptr)
    n = int(ptr[-1])
    token = np.empty(n, dtype=np.uint32)
    while len(levels) > 1:
        length = len(levels)
        each(_fill_level, levels.pop(), length, fill, token)
    levels.clear()
    end, length_of = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint8)
    row_length = np.maximum(seed.length, 1).astype(np.uint8)  # a byte that is an arc is an ASCII character
    given = (single, fallback, row_length, fill, ptr, end, length_of, token)
    in_threads(threads, threads, lambda k: _fill_characters(chars, pretokens.ptr, cuts[k], cuts[k + 1], *given))
    return Arcs(ptr[:-1].copy(), ptr[1:].copy(), end, length_of, token, np.zeros(n, dtype=np.uint8))


@kernel
def _mark_repeats(
    sentence_ptr, sentence_pretoken, first, last, arc_first, arc_stop, arc_token, repeats, n_tokens, uses
):
    """Set `repeats` over the sentences first..last-1; `uses` is the value for a fallback."""
    seen = np.full((n_tokens, 2), -1, dtype=np.int32)  # last sentence and arc of the shard with each token
    base = arc_first[sentence_pretoken[sentence_ptr[first] : sentence_ptr[last]].min()] if first < last else 0
    for y in range(first, last):
        for i in range(sentence_ptr[y], sentence_ptr[y + 1]):
            p = sentence_pretoken[i]
            for a in range(arc_first[p], arc_stop[p]):
                t = arc_token[a]
                if t >= n_tokens:
                    repeats[a] = uses
                    continue
                if seen[t, 0] == y - first:
                    repeats[a] = 1
                    repeats[base + seen[t, 1]] = 1
                seen[t, 0] = y - first
                seen[t, 1] = a - base


@kernel
def _mark_fallbacks(first_pretoken, last_pretoken, first, stop, end, length, token, repeats, n_tokens, uses):
    for p in range(first_pretoken, last_pretoken):
        for a in range(first[p], stop[p]):
            if token[a] >= n_tokens:
                repeats[a] = uses


def mark_repeats(arcs: Arcs, corpus: Corpus, shard: int, n_tokens: int, settings: TrainingSettings) -> None:
    """Set `arcs.repeats` for one shard. With membership `occurrence` no token repeats: each occurrence is a y."""
    uses = fallback_uses(settings.partial_characters)
    if settings.membership == "occurrence":
        first, last = corpus.shard_pretoken[shard : shard + 2]
        _mark_fallbacks(first, last, *arcs, n_tokens, uses)
        return
    first, last = corpus.shard_sentence[shard : shard + 2]
    _mark_repeats(
        corpus.sentence_ptr,
        corpus.sentence_pretoken,
        first,
        last,
        arcs.first,
        arcs.stop,
        arcs.token,
        arcs.repeats,
        n_tokens,
        uses,
    )


@kernel
def _shrink(first_pretoken, last_pretoken, first, stop, end, length, token, repeats, new_token, n_tokens, uses):
    k = first[first_pretoken] if first_pretoken < last_pretoken else 0
    for p in range(first_pretoken, last_pretoken):
        begin = first[p]
        first[p] = k
        for a in range(begin, stop[p]):
            t = new_token[token[a]]
            end[k] = end[a]
            length[k] = length[a]
            repeats[k] = repeats[a] if t < n_tokens else uses
            token[k] = t
            k += t >= 0  # a dropped arc is overwritten by the next
        stop[p] = k


def shrink_arcs(
    arcs: Arcs, corpus: Corpus, shard: int, new_token: np.ndarray, n_tokens: int, partial_characters: bool
) -> None:
    """Switch to a smaller vocabulary in one shard, in place.

    `new_token[t]` (int32) is the new number of token t, -1 drops its arcs; `n_tokens` is the size of the smaller
    vocabulary.
    """
    first, last = corpus.shard_pretoken[shard : shard + 2]
    _shrink(first, last, *arcs, new_token, n_tokens, fallback_uses(partial_characters))


def close_gaps(arcs: Arcs, corpus: Corpus) -> None:
    """Free the memory that `shrink_arcs` left unused, and `repeats`."""
    arcs.repeats.resize(0, refcheck=False)
    n = 0
    for p0, p1 in pairwise(corpus.shard_pretoken.tolist()):
        if p0 < p1:
            begin, end = int(arcs.first[p0]), int(arcs.stop[p1 - 1])
            move_arcs(arcs, begin, n, end - begin)
            arcs.first[p0:p1] -= begin - n
            arcs.stop[p0:p1] -= begin - n
            n += end - begin
    cut_arcs(arcs, n)


def move_arcs(arcs: Arcs, begin: int, to: int, n: int) -> None:
    """Copy n arcs from `begin` to `to`, without `repeats`."""
    for column in (arcs.end, arcs.length, arcs.token):
        column[to : to + n] = column[begin : begin + n]


def cut_arcs(arcs: Arcs, n: int) -> None:
    """Truncate to the first `n` arcs in place, without `repeats`."""
    for column in (arcs.end, arcs.length, arcs.token):
        column.resize(n, refcheck=False)
