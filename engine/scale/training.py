"""`engine.training` for a large corpus: on a cluster, or streaming from the local disk."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from engine.boundaries.learned import is_learned
from engine.config import AUTHORS_SEEDS, MERGE_ALGORITHMS, SUPERBPE, UNIGRAM_ALGORITHMS, TrainingSettings
from engine.corpus.arrays import CorpusFacts, Pretokens, _gather, frozen
from engine.corpus.pretokens.own_pattern import current_allowance
from engine.errors import InputError
from engine.lattice.fallback import Fallback
from engine.pruning_scores import pruning_score
from engine.scale import shard
from engine.scale.growth import grow_tree, join_pretokens, load, shard_alphabet, shard_pretokens
from engine.scale.inputs import is_remote, make_folder, remove_folder, survey, temporary_folder
from engine.scale.spool import Spool, read_units, spool_corpus
from engine.scale.workers import Streaming, Workers
from engine.training import Training, merge_training, seed_tokens, unigram_training
from engine.unigram.train.neighbours import Neighbours, add_neighbours
from engine.unigram.train.removal import PiecesWithout
from engine.unigram.train.seed import SeedVocabulary, choose_seed
from engine.unigram.train.statistics import ShardSums
from engine.unigram.train.trainer import Trainer, _State


class _CountedPretokens(NamedTuple):
    """Distinct pre-tokens of one or more shards."""

    pretokens: Pretokens
    place: np.ndarray  # int64[n], first occurrences


@contextmanager
def scaled_training(
    paths: Sequence[str],
    settings: TrainingSettings,
    *,
    column: str | None = None,
    encoding: str | None = None,
    split: Sequence[str] = (),
    dask: str | None = None,
    spool: str | None = None,
    threads: int = 1,
) -> Iterator[Training]:
    """Train on files, with the same result as `start_training` on their lines; the spool is removed at the end.

    Parameters
    ----------
    paths : as for `read_corpus`, or any URL that fsspec can read.
    column, split : the text column, if the files are tables, and those that divide them into parts.
    encoding : of the files; None: find it out.
    dask : address of a Dask scheduler, or `local:N` for N processes on this machine; None: stream.
    spool : folder for the spool, or a URL that fsspec can write; None: a temporary folder. All workers must reach it.
    threads : for streaming; a Dask worker processes one shard at a time.

    Raises
    ------
    InputError : as `start_training`; or the cluster cannot be reached, or the settings need the whole corpus at once.
    """
    _check(settings)
    remote = f"{spool.rstrip('/')}/thunder-tok-{os.getpid()}" if spool and is_remote(spool) else None
    parent = None if remote else _existing(spool)
    workers: Workers | None = None
    states = temporary_folder(parent)  # from here on Ctrl+C removes it
    try:
        own = remote or states
        workers = _workers(dask, f"{states}/states", threads)
        found = workers.each(survey, [tuple(paths)], column, settings.normalization, encoding, split)[0]
        make_folder(f"{own}/spool")
        context = settings.context if settings.algorithm in UNIGRAM_ALGORITHMS else "pretoken"
        seconds = current_allowance().left
        files, facts = spool_corpus(workers, found, settings, context, f"{own}/spool", seconds)
        if settings.algorithm in MERGE_ALGORITHMS:
            from engine.merge_settings import merge_settings
            from engine.merges.trainer import MergeTrainer

            pretokens = count_corpus(workers, files)
            yield merge_training(MergeTrainer(pretokens, merge_settings(settings), facts.n_words, facts.pretokenizer))
        else:
            yield unigram_training(ScaledTrainer(workers, files, facts, settings))
    finally:
        if workers is not None:
            workers.close()
        remove_folder(states)
        if remote:
            remove_folder(remote)


def _existing(spool: str | None) -> str | None:
    if spool:
        make_folder(spool)
    return spool


def _workers(dask: str | None, states: str, threads: int) -> Workers:
    if dask is None:
        make_folder(states)
        return Streaming(states, threads)
    from engine.scale.dask_workers import dask_workers

    return dask_workers(dask)


def _check(settings: TrainingSettings) -> None:
    if settings.algorithm not in (*UNIGRAM_ALGORITHMS, *MERGE_ALGORITHMS):
        raise InputError("scale.algorithm", algorithm=settings.algorithm)
    if settings.algorithm == SUPERBPE:
        raise InputError("scale.superbpe")
    if settings.seed_vocabulary in AUTHORS_SEEDS:
        raise InputError("scale.authors")
    if is_learned(settings.pretokenizer):
        raise InputError("scale.learned", name=settings.pretokenizer)


def count_corpus(workers: Workers, spool: Spool) -> Pretokens:
    """Distinct pre-tokens of a corpus spooled by pre-token, in order of first appearance."""
    workers.begin(spool.n_shards)
    workers.change(_count_shard, spool)
    (chars, ptr, count), place = workers.ask(_identity, _join)
    order = np.argsort(place, kind="stable")
    chars, ptr = _gather(frozen(chars), ptr[:-1][order], ptr[1:][order])
    return Pretokens(chars, ptr, count[order])


def _count_shard(shard: int, spool: Spool) -> _CountedPretokens:
    (_, codes, begin, end), place, count = read_units(shard, spool)
    chars, ptr = _gather(codes, begin, end)
    return _CountedPretokens(Pretokens(chars, ptr, count), place)


def _identity(counted: _CountedPretokens) -> _CountedPretokens:
    return counted


def _join(a: _CountedPretokens, b: _CountedPretokens) -> _CountedPretokens:
    ptr = np.concatenate([a.pretokens.ptr, a.pretokens.ptr[-1] + b.pretokens.ptr[1:]])
    chars, count = (np.concatenate([a.pretokens[k], b.pretokens[k]]) for k in (0, 2))
    return _CountedPretokens(Pretokens(chars, ptr, count), np.concatenate([a.place, b.place]))


class ScaledTrainer(Trainer):
    """Trains one vocabulary with the same result as Trainer, byte for byte; workers compute the sums.

    Parameters
    ----------
    workers : store and process the shards.
    spool, facts : the corpus.
    settings : everything else.

    Raises
    ------
    InputError : as Trainer.
    """

    def __init__(self, workers: Workers, spool: Spool, facts: CorpusFacts, settings: TrainingSettings) -> None:
        self._workers = workers
        workers.begin(spool.n_shards)
        workers.change(load, spool)
        alphabet = workers.ask(shard_alphabet, np.union1d)
        tokens = None
        if settings.seed_vocabulary == "bpe":
            tokens = seed_tokens(workers.ask(shard_pretokens, join_pretokens), settings)
        tree, total = grow_tree(workers, alphabet, settings, tokens)
        seed, chars, rows = choose_seed(tree, alphabet, total, settings)
        rows = self._set_up(facts, settings, seed, rows)
        workers.change(shard.with_arcs, _for_arcs(self._seed), rows, settings)
        if pruning_score(settings.score).needs_removal:
            n = self._seed.n_rows
            workers.change(shard.with_own_tokens, workers.ask(shard.shard_of_tokens, np.minimum, n))
        self._holders = self._seed.holders(chars) if settings.sentencepiece_safe else None

    def _count(self, weight: np.ndarray) -> np.ndarray:
        counts: np.ndarray = self._workers.ask(shard.expected_counts, shard.add, weight)
        return counts

    def _sums(self, weight: np.ndarray, fallback: Fallback) -> ShardSums:
        sums: ShardSums = self._workers.ask(
            shard.statistics, shard.add_sums, weight, fallback, self._settings.membership
        )
        return sums

    def _best_uses(self, log_weight: np.ndarray) -> np.ndarray:
        used: np.ndarray = self._workers.ask(shard.best_uses, shard.add, log_weight)
        return used

    def _pieces(
        self, state: _State, is_wanted: np.ndarray, log_weight: np.ndarray, fallback: Fallback
    ) -> PiecesWithout:
        rows = state.rows
        given = (is_wanted, self._seed.length[rows], self._character[rows], log_weight, self._spans, fallback)
        return shard.in_order(self._workers.ask(shard.own_pieces, shard.join_pieces, *given), rows.size)

    def _neighbours(self, log_weight: np.ndarray) -> Neighbours:
        found: Neighbours = self._workers.ask(shard.neighbours, add_neighbours, log_weight)
        return found

    def _shrink(self, new_token: np.ndarray, n_tokens: int) -> None:
        self._workers.change(shard.shrink, new_token, n_tokens, self._settings.partial_characters)

    def _split(self, n_tokens: int) -> None:
        self._workers.change(shard.split_pretokens, n_tokens, self._settings)


def _for_arcs(seed: SeedVocabulary) -> SeedVocabulary:
    """The part of the seed vocabulary that is sent to the workers."""
    none = np.empty(0)
    return seed._replace(blob=none, weight=none, first=none)
