"""The workers' operations on the lattices of a shard. None modifies its input, so that tasks can be repeated."""

from typing import NamedTuple

import numpy as np

from engine.config import TrainingSettings
from engine.corpus.arrays import Corpus
from engine.lattice.fallback import Fallback, FallbackSpans
from engine.pruning_scores import pruning_score
from engine.scale.growth import Growing
from engine.unigram.train.arcs import Arcs, build_arcs, mark_repeats, number_tokens, shrink_arcs
from engine.unigram.train.em import shard_counts, viterbi_counts
from engine.unigram.train.neighbours import Neighbours, shard_neighbours
from engine.unigram.train.removal import PiecesWithout, pieces_without, places
from engine.unigram.train.seed import SeedVocabulary
from engine.unigram.train.split import split
from engine.unigram.train.statistics import ShardSums, log_counts, shard_statistics


class Lattices(NamedTuple):
    """A shard in training: a corpus of one shard, its arcs, and data for the statistics."""

    number: int
    corpus: Corpus
    arcs: Arcs
    tokens: np.ndarray  # int32, of the arcs; see `number_tokens`
    log_count: np.ndarray  # `log_counts`
    # For scores that need `removal`:
    token: np.ndarray  # int32, tokens assigned to this shard, the first one that contains them
    place: np.ndarray  # int64, first occurrence of each of them in the characters


def with_arcs(growing: Growing, seed: SeedVocabulary, rows: list[np.ndarray], settings: TrainingSettings) -> Lattices:
    """The lattices over the seed vocabulary; `seed` needs only its alphabet, lengths and number of rows."""
    levels = list(growing.levels[:-1])
    own_rows = [row[number] for row, number in zip(rows, growing.numbers, strict=True)]
    token = np.concatenate(own_rows)
    place = np.concatenate([level.position[level.ptr[:-1]] for level in levels]).astype(np.int64)
    is_kept = (token >= 0) & pruning_score(settings.score).needs_removal
    arcs = build_arcs(growing.corpus.pretokens, seed, levels, own_rows, settings.partial_characters)
    tokens = number_tokens(arcs, growing.corpus, 0, seed)
    return _marked(
        Lattices(growing.number, growing.corpus, arcs, tokens, np.empty(0), token[is_kept], place[is_kept]),
        seed.n_rows,
        settings,
    )


def _marked(lattices: Lattices, n_tokens: int, settings: TrainingSettings) -> Lattices:
    mark_repeats(lattices.arcs, lattices.corpus, 0, lattices.tokens, n_tokens, settings)
    return lattices._replace(log_count=log_counts(lattices.corpus))


def shard_of_tokens(lattices: Lattices, n_tokens: int) -> np.ndarray:
    """int32[n_tokens]: the number of this shard for tokens that occur here, the largest int32 for all others."""
    found = np.full(n_tokens, np.iinfo(np.int32).max, dtype=np.int32)
    found[lattices.token] = lattices.number
    return found


def with_own_tokens(lattices: Lattices, shard: np.ndarray) -> Lattices:
    """Keep only the tokens assigned to this shard by `shard` (int32[n_tokens])."""
    is_own = shard[lattices.token] == lattices.number
    return lattices._replace(token=lattices.token[is_own], place=lattices.place[is_own])


def shrink(lattices: Lattices, new_token: np.ndarray, n_tokens: int, partial_characters: bool) -> Lattices:
    """Switch to a smaller vocabulary; see `shrink_arcs`."""
    arcs = Arcs(*(column.copy() for column in lattices.arcs))
    tokens = shrink_arcs(arcs, lattices.corpus, 0, lattices.tokens, new_token, n_tokens, partial_characters)
    n = int(arcs.stop.max(initial=0))  # with few sentences a shard may be empty
    arcs = Arcs(arcs.first, arcs.stop, *(column[:n].copy() for column in arcs[2:]))
    token = new_token[lattices.token]
    is_alive = (token >= 0) & (token < n_tokens)  # larger numbers are fallbacks
    return lattices._replace(arcs=arcs, tokens=tokens, token=token[is_alive], place=lattices.place[is_alive])


def split_pretokens(lattices: Lattices, n_tokens: int, settings: TrainingSettings) -> Lattices:
    """Split the pre-tokens where no arc crosses any more; see `engine.unigram.train.split`."""
    if lattices.arcs.end.size == 0:
        return lattices
    arcs = Arcs(*(column.copy() for column in lattices.arcs))
    corpus, arcs, place = split(lattices.corpus, arcs, lattices.place)
    return _marked(lattices._replace(corpus=corpus, arcs=arcs, place=place), n_tokens, settings)


def expected_counts(lattices: Lattices, weight: np.ndarray) -> np.ndarray:
    """E step without branching entropy; see `shard_counts`."""
    return shard_counts(lattices.corpus, 0, lattices.arcs, lattices.tokens, weight)


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum."""
    return a + b


def statistics(lattices: Lattices, weight: np.ndarray, fallback: Fallback, membership: str) -> ShardSums:
    """E step with the sums of branching entropy; see `shard_statistics`."""
    given = (lattices.log_count, weight, fallback, membership)
    return shard_statistics(lattices.corpus, 0, lattices.arcs, lattices.tokens, *given)


def add_sums(a: ShardSums, b: ShardSums) -> ShardSums:
    """Like `engine.unigram.train.statistics.merge`, but without overwriting `a`."""
    return ShardSums(a.sums + b.sums, a.log_likelihood + b.log_likelihood)


def best_uses(lattices: Lattices, log_weight: np.ndarray) -> np.ndarray:
    """Uses in the best segmentations; see `viterbi_counts`."""
    return viterbi_counts(lattices.corpus, 0, lattices.arcs, lattices.tokens, log_weight)


def neighbours(lattices: Lattices, log_weight: np.ndarray) -> Neighbours:
    """Neighbours in the best segmentations; see `shard_neighbours`."""
    return shard_neighbours(lattices.corpus, 0, lattices.arcs, lattices.tokens, log_weight)


class OwnPieces(NamedTuple):
    """The best segmentations of some tokens' texts without them, concatenated."""

    token: np.ndarray  # int32[n]
    n_pieces: np.ndarray  # int32[n]
    piece: np.ndarray  # int32


def own_pieces(
    lattices: Lattices,
    is_wanted: np.ndarray,
    length: np.ndarray,
    character: np.ndarray,
    log_weight: np.ndarray,
    spans: FallbackSpans,
    fallback: Fallback,
) -> OwnPieces:
    """`pieces_without` for the wanted tokens of this shard."""
    first = np.full(is_wanted.size, -1, dtype=np.int64)
    first[lattices.token] = lattices.place
    where = places(lattices.corpus, first, length, character)
    ptr, piece = pieces_without(is_wanted, where, lattices.arcs, [lattices.tokens], log_weight, spans, fallback)
    n_pieces = np.diff(ptr).astype(np.int32)
    token = np.flatnonzero(n_pieces).astype(np.int32)
    return OwnPieces(token, n_pieces[token], piece)


def join_pieces(a: OwnPieces, b: OwnPieces) -> OwnPieces:
    """Concatenate the pieces of two sets of shards."""
    return OwnPieces(*map(np.concatenate, zip(a, b, strict=True)))


def in_order(pieces: OwnPieces, n_tokens: int) -> PiecesWithout:
    """The pieces sorted by token."""
    size = np.zeros(n_tokens, dtype=np.int64)
    size[pieces.token] = pieces.n_pieces
    order = np.argsort(pieces.token, kind="stable")
    begin = np.cumsum(pieces.n_pieces) - pieces.n_pieces
    ptr = np.concatenate([[0], np.cumsum(size)])
    own = pieces.n_pieces[order]
    at = np.arange(ptr[-1]) + np.repeat(begin[order] - (np.cumsum(own) - own), own)
    return PiecesWithout(ptr, pieces.piece[at])
