"""The rounds of `engine.unigram.train.trainer` over remote shards, with the sums computed by workers."""

import numpy as np

from engine.config import TrainingSettings
from engine.lattice.fallback import Fallback
from engine.pruning_scores import pruning_score
from engine.scale import shard
from engine.scale.growth import grow_tree, join_pretokens, load, shard_alphabet, shard_pretokens
from engine.scale.spool import Facts, Spool
from engine.scale.workers import Workers
from engine.training import seed_tokens
from engine.unigram.train.neighbours import Neighbours, add_neighbours
from engine.unigram.train.removal import PiecesWithout
from engine.unigram.train.seed import SeedVocabulary, choose_seed
from engine.unigram.train.statistics import ShardSums
from engine.unigram.train.trainer import Trainer, _State


class ScaledTrainer(Trainer):
    """Trains one vocabulary with the same result as Trainer, byte for byte.

    Parameters
    ----------
    workers : store and process the shards.
    spool, facts : the corpus.
    settings : everything else.

    Raises
    ------
    InputError : as Trainer.
    """

    def __init__(self, workers: Workers, spool: Spool, facts: Facts, settings: TrainingSettings) -> None:
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
