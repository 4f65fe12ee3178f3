"""The seed vocabulary of a sharded corpus: substrings are grown level by level and counted over all shards.

Each shard extends the substrings that are frequent in the whole corpus by their next characters and counts the results.
The counts are added, and substrings too rare in total are dropped in every shard. So no candidate is lost, and no
worker stores all occurrences. Substrings that can no longer become or begin a token, because `max_seed` others have
more weight, are dropped as well.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engine._jit import kernel
from engine.config import TrainingSettings
from engine.corpus.arrays import Corpus, Pretokens, joined_pretokens
from engine.machine.malloc import give_back_large_arrays
from engine.scale.spool import Spool, read_shard
from engine.scale.workers import Workers
from engine.unigram.train.seed import (
    BRANCHES,
    ChosenTokens,
    Level,
    Tree,
    _first_level,
    _refine,
    alphabet_of,
    build_tree,
    byte_sizes,
    find_places,
    following_symbols,
    index_of,
    only_branching,
)

# Maximum number of children counted at once; 28 bytes each.
_AT_ONCE = 1 << 24


class SubstringCounts(NamedTuple):
    """Counts of substrings of one length; the keys (parent x size of the alphabet + last letter) are ascending."""

    key: np.ndarray  # int64[n]
    total: np.ndarray  # int64[n], occurrences
    formed: np.ndarray  # int64[n], well-formed ones
    following: np.ndarray  # int32[n], as from `following_symbols`


class Loaded(NamedTuple):
    """A shard that was read."""

    number: int
    corpus: Corpus


class Growing(NamedTuple):
    """A shard whose substrings are being grown.

    The last of `levels` is not pruned yet: it contains all extensions found in this shard. `numbers` maps the
    substrings of each of the other levels to their numbers in the whole corpus.
    """

    number: int
    corpus: Corpus
    place: np.ndarray  # from `_places`
    letter: np.ndarray  # from `_places`
    levels: tuple[Level, ...]
    numbers: tuple[np.ndarray, ...]  # int32[n_groups]
    counts: SubstringCounts  # of the last level


def load(shard: int, spool: Spool) -> Loaded:
    """Read the shard."""
    give_back_large_arrays()
    return Loaded(shard, read_shard(shard, spool))


def shard_alphabet(loaded: Loaded) -> np.ndarray:
    """The distinct characters of the shard."""
    return alphabet_of(loaded.corpus.pretokens.chars)


def shard_pretokens(loaded: Loaded) -> Pretokens:
    """The pre-tokens of the shard."""
    return loaded.corpus.pretokens


def join_pretokens(a: Pretokens, b: Pretokens) -> Pretokens:
    """Concatenate the pre-tokens of two sets of shards."""
    return joined_pretokens((a, b))


def begin_growth(loaded: Loaded, alphabet: np.ndarray, settings: TrainingSettings) -> Growing:
    """Start with all single characters of the shard."""
    number, corpus = loaded
    place, letter = find_places(corpus.pretokens, index_of(alphabet), settings)
    position, group_ptr, group, total = _first_level(letter, place, alphabet.size, 1)
    key = np.flatnonzero(group >= 0)
    level = Level(position, group_ptr, np.full(key.size, -1, dtype=np.int32), total[key])
    following = following_symbols(corpus.pretokens, letter, level, 1, settings)
    return Growing(number, corpus, place, letter, (level,), (), SubstringCounts(key, total[key], total[key], following))


@kernel
def _totals(place, position, ptr):
    """Occurrences of each group, pre-tokens counted with multiplicity."""
    total = np.zeros(ptr.size - 1, dtype=np.int64)
    for g in range(ptr.size - 1):
        for a in range(ptr[g], ptr[g + 1]):
            total[g] += place[position[a]] >> 16
    return total


def grow(growing: Growing, kept: np.ndarray, n_letters: int, settings: TrainingSettings) -> Growing:
    """Keep the substrings with the keys `kept` (int64, ascending), number them in this order, and extend them."""
    place, letter, levels, counts = growing.place, growing.letter, growing.levels, growing.counts
    number = np.searchsorted(kept, counts.key)
    is_kept = number < kept.size
    is_kept[is_kept] = kept[number[is_kept]] == counts.key[is_kept]
    last = _only(levels[-1], is_kept)
    number = number[is_kept].astype(np.int32)
    length = len(levels) + 1
    longer = Level(*_refine(letter, place, n_letters, last.position, last.ptr, 0, number.size, length, 1))
    ends = letter[longer.position[longer.ptr[:-1]] + length - 1] >> 2
    key = number[longer.parent].astype(np.int64) * n_letters + ends
    following = following_symbols(growing.corpus.pretokens, letter, longer, length, settings)
    found = SubstringCounts(key, _totals(place, longer.position, longer.ptr), longer.formed, following)
    return growing._replace(levels=(*levels[:-1], last, longer), numbers=(*growing.numbers, number), counts=found)


def _only(level: Level, is_kept: np.ndarray) -> Level:
    size = np.diff(level.ptr)
    ptr = np.concatenate([[0], np.cumsum(size[is_kept])])
    position = level.position[np.repeat(is_kept, size)]
    return Level(position, ptr, level.parent[is_kept], level.formed[is_kept])


def counts_between(growing: Growing, low: int, high: int) -> SubstringCounts:
    """Counts of the children with keys in [low, high)."""
    first, last = np.searchsorted(growing.counts.key, [low, high])
    return SubstringCounts(*(column[first:last] for column in growing.counts))


@kernel
def _add_counts(a, b):
    n = a.key.size + b.key.size
    key = np.empty(n, dtype=np.int64)
    total = np.empty(n, dtype=np.int64)
    formed = np.empty(n, dtype=np.int64)
    following = np.empty(n, dtype=np.int32)
    i, j, k = 0, 0, 0
    while i < a.key.size or j < b.key.size:
        from_a = j == b.key.size or (i < a.key.size and a.key[i] <= b.key[j])
        from_b = i == a.key.size or (j < b.key.size and b.key[j] <= a.key[i])
        key[k] = a.key[i] if from_a else b.key[j]
        total[k] = 0
        formed[k] = 0
        following[k] = a.following[i] if from_a else b.following[j]
        if from_a and from_b and a.following[i] != b.following[j]:
            following[k] = BRANCHES
        if from_a:
            total[k] += a.total[i]
            formed[k] += a.formed[i]
            i += 1
        if from_b:
            total[k] += b.total[j]
            formed[k] += b.formed[j]
            j += 1
        k += 1
    return key[:k].copy(), total[:k].copy(), formed[:k].copy(), following[:k].copy()


def add_counts(a: SubstringCounts, b: SubstringCounts) -> SubstringCounts:
    """Add the counts of two sets of shards."""
    return SubstringCounts(*_add_counts(a, b))


def grow_tree(
    workers: Workers, alphabet: np.ndarray, settings: TrainingSettings, tokens: list[str] | None
) -> tuple[Tree, np.ndarray]:
    """The frequent substrings of the whole corpus, and the counts of its characters.

    Parameters
    ----------
    workers : the state of each shard changes from Loaded to Growing, with an empty last level.
    alphabet : characters of the whole corpus, ascending.
    tokens : the multi-character tokens of a BPE seed, if any; only their prefixes are grown.
    """
    n_letters = alphabet.size
    workers.change(begin_growth, alphabet, settings)
    counts = workers.ask(counts_between, add_counts, 0, n_letters)
    letters = counts.total
    chosen = None
    bound = _WeightBound(settings)
    parents: list[np.ndarray] = []
    lasts: list[np.ndarray] = []
    formed: list[np.ndarray] = []
    following: list[np.ndarray] = []
    size = np.empty(0, dtype=np.int64)  # bytes of the substrings of the previous level
    while True:
        is_kept = counts.total >= settings.min_count
        parent, last = np.divmod(counts.key, n_letters)
        if not parents:
            parent[:] = -1
            if tokens is not None:
                group = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)
                chosen = ChosenTokens(tokens, index_of(alphabet), group)
            own_size = byte_sizes(parent, alphabet[last], size)
        else:
            own_size = byte_sizes(parent, alphabet[last], size)
            if chosen is not None:
                kept, is_token = chosen.restrict(parent, last)
                is_kept[:] = False
                is_kept[kept] = True
                counts.formed[kept] *= is_token
        if chosen is None and not settings.sentencepiece_safe:
            is_kept &= bound.keeps(counts, len(parents) + 1, own_size)
        if parents and not is_kept.any():
            break
        size = own_size[is_kept]
        parents.append(parent[is_kept].astype(np.int32))
        lasts.append(alphabet[last[is_kept]])
        formed.append(counts.formed[is_kept])
        following.append(counts.following[is_kept])
        workers.change(grow, counts.key[is_kept], n_letters, settings)
        counts = _count_children(workers, counts.total[is_kept], n_letters, settings)
    return only_branching(build_tree(parents, lasts, formed), following, settings), letters


def _count_children(workers: Workers, total: np.ndarray, n_letters: int, settings: TrainingSettings) -> SubstringCounts:
    """Counts of all frequent children, in batches of parents whose children fit in memory."""
    begins = np.cumsum(np.minimum(total, n_letters)) // _AT_ONCE
    bounds = [*np.flatnonzero(np.diff(begins, prepend=-1)).tolist(), total.size]
    parts = []
    for low, high in pairwise(bounds):
        part = workers.ask(counts_between, add_counts, low * n_letters, high * n_letters)
        is_frequent = part.total >= settings.min_count
        parts.append([column[is_frequent] for column in part])
    if not parts:
        return SubstringCounts(*(np.empty(0, dtype=np.int64) for _ in SubstringCounts._fields))
    return SubstringCounts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _WeightBound:
    """A lower bound of the weights in the seed vocabulary, raised as candidates are found."""

    def __init__(self, settings: TrainingSettings) -> None:
        self._settings = settings
        self._weights = np.empty(0, dtype=np.int64)  # the `max_seed` largest so far

    def keeps(self, counts: SubstringCounts, length: int, size: np.ndarray) -> np.ndarray:
        """Whether each substring of this length can be a token or the prefix of one."""
        settings = self._settings
        is_token = (counts.formed >= settings.min_count) & (size <= settings.max_token_bytes)
        if length == 1:
            is_token &= size > 1
        if settings.seed_vocabulary == "right-branching":
            is_token &= counts.following == BRANCHES
        self._weights = np.concatenate([self._weights, counts.formed[is_token] * length])
        if self._weights.size < settings.max_seed:
            return np.ones(size.size, dtype=bool)
        self._weights = np.partition(self._weights, -settings.max_seed)[-settings.max_seed :]
        longest = length + np.maximum(settings.max_token_bytes - size, 0)  # a character has at least one byte
        return counts.total * longest >= self._weights.min()
