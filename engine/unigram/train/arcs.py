"""All lattices of the corpus in flat arrays, built once and shrunk with the vocabulary.

The lattices of the distinct pre-tokens are consecutive, within a shard without gaps. A character that is not a token
has a *fallback* arc, the sequence of its bytes (see `fallback`).
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Corpus, Pretokens
from engine.lattice.fallback import fallback_uses
from engine.machine.threads import in_threads
from engine.unigram.train.seed import Level, SeedVocabulary


class Arcs(NamedTuple):
    """The arcs `first[p]:stop[p]` are those of pre-token p, sorted by end, longest first.

    The nodes of all pre-tokens are numbered consecutively: pre-token p of n characters has the n + 1 nodes from
    `ptr[p] + p`. An arc ends at node `end` and begins `length` characters before it. Its token is an index into the
    vocabulary, or `n_tokens + k` for the fallback of character k of the alphabet; after `number_tokens`, an index into
    the tokens and fallbacks of the shard.

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
def _number_tokens(arc_token, begin, end, always, n_tokens, n_alphabet):
    """Number the tokens of the arcs begin..end-1 in order of first appearance, after those of `always`."""
    number = np.full(n_tokens, -1, dtype=np.int32)
    tokens = np.empty(n_tokens + n_alphabet, dtype=np.int32)
    n = 0
    for t in always:
        number[t] = n
        tokens[n] = t
        n += 1
    for a in range(begin, end):
        t = arc_token[a]
        if t < n_tokens:
            if number[t] < 0:
                number[t] = n
                tokens[n] = t
                n += 1
            arc_token[a] = number[t]
    for a in range(begin, end):
        if arc_token[a] >= n_tokens:
            arc_token[a] -= n_tokens - n
    for k in range(n_alphabet):
        tokens[n + k] = n_tokens + k
    return tokens[: n + n_alphabet].copy()


def _span(arcs: Arcs, corpus: Corpus, shard: int) -> tuple[int, int]:
    """Begin and end of the arcs of one shard."""
    first, last = corpus.shard_pretoken[shard : shard + 2]
    return (int(arcs.first[first]), int(arcs.stop[last - 1])) if first < last else (0, 0)


def number_tokens(arcs: Arcs, corpus: Corpus, shard: int, seed: SeedVocabulary) -> np.ndarray:
    """Replace the tokens of one shard's arcs, which are rows of `seed`, by numbers of the shard.

    Tables of only these tokens fit the cache. Neighbours in the text are neighbours in them.

    Returns
    -------
    int32 : the tokens and fallbacks of the shard by number: first the bytes and runs of bytes, then the others.
    """
    begin, end = _span(arcs, corpus, shard)
    always = np.flatnonzero((np.arange(seed.n_rows) < N_BYTES) | (seed.length == 0))
    return _number_tokens(arcs.token, begin, end, always, seed.n_rows, seed.alphabet.size)


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


def mark_repeats(
    arcs: Arcs, corpus: Corpus, shard: int, tokens: np.ndarray, n_tokens: int, settings: TrainingSettings
) -> None:
    """Set `arcs.repeats` for one shard. With membership `occurrence` no token repeats: each occurrence is a y.

    `tokens` as from `number_tokens`; `n_tokens` is the size of the vocabulary.
    """
    n_tokens = int((tokens < n_tokens).sum())
    uses = fallback_uses(settings.partial_characters)
    if settings.membership == "occurrence":
        begin, end = _span(arcs, corpus, shard)
        arcs.repeats[begin:end][arcs.token[begin:end] >= n_tokens] = uses
        return
    first, last = corpus.shard_sentence[shard : shard + 2]
    sentences = (corpus.sentence_ptr, corpus.sentence_pretoken, first, last)
    _mark_repeats(*sentences, arcs.first, arcs.stop, arcs.token, arcs.repeats, n_tokens, uses)


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
    arcs: Arcs, corpus: Corpus, shard: int, tokens: np.ndarray, new_token: np.ndarray, n_tokens: int, partial: bool
) -> np.ndarray:
    """Switch to a smaller vocabulary in one shard, in place; returns its tokens and fallbacks, as `tokens` were.

    `new_token[t]` (int32) is the new index of token t, -1 drops its arcs; `n_tokens` is the size of the smaller
    vocabulary; `partial` is the setting `partial_characters`.
    """
    first, last = corpus.shard_pretoken[shard : shard + 2]
    moved = new_token[tokens]
    is_token = (moved >= 0) & (moved < n_tokens)
    n_alive = int(is_token.sum())
    number = np.where(is_token, np.cumsum(is_token) - 1, np.where(moved < 0, -1, moved - n_tokens + n_alive))
    _shrink(first, last, *arcs, number.astype(np.int32), n_alive, fallback_uses(partial))
    fallbacks = np.arange(n_tokens, new_token[-1] + 1, dtype=np.int32)
    return np.concatenate([moved[is_token], fallbacks])


def close_gaps(arcs: Arcs, corpus: Corpus) -> None:
    """Free the memory that `shrink_arcs` left unused, and `repeats`."""
    arcs.repeats.resize(0, refcheck=False)
    n = 0
    for shard, (p0, p1) in enumerate(pairwise(corpus.shard_pretoken.tolist())):
        begin, end = _span(arcs, corpus, shard)
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
