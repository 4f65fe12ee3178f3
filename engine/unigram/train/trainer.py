"""Training: a seed vocabulary, then rounds of EM and pruning down to the target size (Algorithm 1 of the paper).

Thunder-Tok prunes by branching entropy x probability, the Unigram LM by likelihood loss.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import Corpus, CorpusFacts, assemble_corpus, find_lines
from engine.corpus.normalize import normalize
from engine.errors import InputError
from engine.lattice.fallback import Fallback, build_fallback, fallback_spans
from engine.lattice.passes import scaled_weights
from engine.machine.threads import in_threads
from engine.pretokenization import pretokenizer_for
from engine.progress import Progress
from engine.pruning_rounds import Round
from engine.pruning_scores import BE, EXPECTED_COUNT, NEIGHBOUR_BE, P, pruning_score
from engine.unigram.model.model import Model, assign_ids
from engine.unigram.train.arcs import build_arcs, mark_repeats, number_tokens, shrink_arcs
from engine.unigram.train.em import first_log_prob, fold_viterbi, maximise, shard_counts, viterbi_counts
from engine.unigram.train.neighbours import Neighbours, add_neighbours, neighbour_entropy, shard_neighbours
from engine.unigram.train.pruning import pruned_tokens
from engine.unigram.train.removal import PiecesWithout, Removal, pieces_without, places, removal
from engine.unigram.train.seed import SeedVocabulary, build_seed
from engine.unigram.train.shard_tree import merge_shards
from engine.unigram.train.split import split
from engine.unigram.train.statistics import (
    ShardSums,
    Statistics,
    finished,
    fold_fallback,
    log_counts,
    merge,
    shard_statistics,
    token_statistics,
)

_Result = TypeVar("_Result")

# The final log probabilities are multiples of 1 / LOG_PROB_GRID: their sums are exact even in 32-bit floats, so that
# other programs segment identically.
LOG_PROB_GRID = 256.0

# Pre-tokens are split again when the vocabulary has shrunk to this share.
_SPLIT_AGAIN = 0.5


class _State(NamedTuple):
    """The current vocabulary and its probabilities."""

    rows: np.ndarray  # int32[n_tokens], seed row of each token; the first 256 are the bytes
    log_prob: np.ndarray  # float64[n_tokens]


class Trainer:
    """Trains one vocabulary. Iterate over `rounds()` to the end, then call `model()`.

    Parameters
    ----------
    corpus : the sentences, cut into pre-tokens with the same settings.
    settings : everything else.
    threads : shards processed at once; the result does not depend on it.
    seed_tokens : for `seed_vocabulary="bpe"`, the tokens from `engine.training.seed_tokens`.

    Raises
    ------
    ValueError : `seed_tokens` is missing for `seed_vocabulary="bpe"`.
    InputError : the vocabulary size is outside the feasible range, which the message names.
    """

    def __init__(
        self, corpus: Corpus, settings: TrainingSettings, threads: int = 1, seed_tokens: list[str] | None = None
    ) -> None:
        if settings.seed_vocabulary == "bpe" and seed_tokens is None:
            raise ValueError("a seed vocabulary from BPE needs BPE's tokens; see engine.training.seed_tokens")
        self._corpus = corpus
        self._threads = max(1, threads)
        seed, levels, rows = build_seed(corpus, settings, self._threads, seed_tokens)
        rows = self._set_up(corpus.facts, settings, seed, rows)
        self._arcs = build_arcs(corpus.pretokens, self._seed, levels, rows, settings.partial_characters, threads)
        self._first = self._seed.first  # first occurrence of each token in the characters of the corpus
        self._in_each_shard = partial(in_threads, self._threads, corpus.n_shards)
        self._tokens = self._in_each_shard(lambda k: number_tokens(self._arcs, corpus, k, self._seed))
        self._mark(self._seed.n_rows)
        self._holders = self._seed.holders(corpus.pretokens.chars) if settings.sentencepiece_safe else None

    def _set_up(
        self, facts: CorpusFacts, settings: TrainingSettings, seed: SeedVocabulary, rows: list[np.ndarray]
    ) -> list[np.ndarray]:
        """Initialize from the seed vocabulary, with byte runs if requested; returns the rows of its groups."""
        self._facts = facts
        self._settings = settings
        runs: dict[bytes, int] = {}
        if settings.partial_characters:
            runs = byte_runs(seed, settings.min_count)
            seed, rows = add_byte_runs(seed, rows, runs)
        self._seed = seed
        self._n_special = len(settings.special_tokens)
        self.feasible = (N_BYTES + self._n_special, seed.n_rows + self._n_special)
        self._check_size()
        self._split_size = seed.n_rows  # vocabulary size at which the corpus is split next
        self._runs = list(runs)
        self._spans = fallback_spans(seed.alphabet, {})
        self._rounds: list[Round] = []
        self._died = np.full(seed.n_rows, -1, dtype=np.int16)
        # Index in the alphabet of each row that is a single multi-byte character, else -1.
        self._character = np.full(seed.n_rows, -1, dtype=np.int32)
        known = np.flatnonzero(seed.character_row >= 0)
        self._character[seed.character_row[known]] = known
        return rows

    def _check_size(self) -> None:
        low, high = self.feasible
        size = self._settings.vocab_size
        if size < low:
            raise InputError(
                "vocabulary.small",
                size=size,
                what="bytes_and_specials" if self._n_special else "bytes",
                low=low,
                high=high,
            )
        if size > high:
            raise InputError("vocabulary.large", size=size, min_count=self._settings.min_count, low=low, high=high)

    def rounds(self) -> Iterator[Progress]:
        """Train; yields a report after each round. The last one (`is_last`) prunes nothing."""
        settings = self._settings
        state = _State(np.arange(self._seed.n_rows, dtype=np.int32), first_log_prob(self._seed.weight))
        self._seed = self._seed._replace(weight=np.empty(0), first=np.empty(0))  # not needed any more
        if not pruning_score(settings.score).needs_removal:
            self._first = np.empty(0, dtype=np.int64)
        while True:
            is_last = state.rows.size + self._n_special == settings.vocab_size
            for _ in range(settings.sub_iterations - 1):
                state = state._replace(log_prob=maximise(self._expected_counts(state), self._protected()))
            if is_last:
                state = state._replace(log_prob=np.round(state.log_prob * LOG_PROB_GRID) / LOG_PROB_GRID)
            fallback = self._fallback(state)
            statistics = self._statistics(state, fallback)
            score = self._record(state, fallback, statistics)
            removed = (
                np.empty(0, dtype=np.int64)
                if is_last
                else pruned_tokens(
                    score,
                    statistics.expected_count,
                    self._n_special,
                    settings.vocab_size,
                    settings.shrink,
                    self._holders,
                )
            )
            number = len(self._rounds) - 1
            self._died[state.rows[removed]] = number
            report = Progress(
                number=number,
                vocab_size=state.rows.size + self._n_special,
                objective=-statistics.log_likelihood / self._facts.n_units,
                n_tokens=statistics.n_tokens,
                threshold=float(score[removed[-1]]) if removed.size else None,
                n_removed=int(removed.size),
                is_last=is_last,
            )
            self._rounds[-1] = self._rounds[-1]._replace(report=report)
            yield report
            if is_last:
                return
            expected_count = statistics.expected_count
            del statistics, score  # as large as the arrays of the steps below
            state = self._remove(state, removed, expected_count)

    def last_removed(self, limit: int) -> list[str]:
        """The most probable tokens of several characters that the last round removed."""
        number = len(self._rounds) - 1
        rows = np.flatnonzero((self._died == number) & (self._seed.length > 1))
        alive = np.flatnonzero((self._died < 0) | (self._died >= number))
        p = self._rounds[-1].sentence_prob[np.searchsorted(alive, rows)]
        blob, ptr = self._seed.blob, self._seed.ptr
        best = rows[np.argsort(-p, kind="stable")[:limit]].tolist()
        return [blob[ptr[row] : ptr[row + 1]].tobytes().decode(errors="hex_tokens") for row in best]

    def model(self) -> Model:
        """The trained model with all its rounds; `rounds()` must be exhausted first."""
        if not self._rounds or self._rounds[-1].report is None or not self._rounds[-1].report.is_last:
            raise RuntimeError("model() was called before rounds() was run to its end")
        return Model(
            settings=self._settings,
            blob=self._seed.blob,
            ptr=self._seed.ptr,
            died_in_round=self._died,
            ids=assign_ids(self._died, self._rounds[-1].log_prob, self._n_special),
            rounds=self._rounds,
            corpus_units=self._facts.n_units,
            corpus_words=self._facts.n_words,
            corpus_fingerprint=self._facts.fingerprint,
            pretokenizer=self._facts.pretokenizer,
        )

    def _fallback(self, state: _State) -> Fallback:
        if self._runs:  # the set of byte runs that are still tokens changes from round to round
            blob, ptr = self._seed.blob, self._seed.ptr
            number = {blob[ptr[r] : ptr[r + 1]].tobytes(): t for t, r in enumerate(state.rows.tolist())}
            self._spans = fallback_spans(self._seed.alphabet, {run: number[run] for run in self._runs if run in number})
        return build_fallback(self._spans, state.log_prob)

    def _weights(self, state: _State, fallback: Fallback) -> np.ndarray:
        """Weights of the tokens and fallbacks for the kernels."""
        length = np.ones(state.rows.size + fallback.log_prob.size, dtype=np.int64)
        length[: state.rows.size] = np.maximum(self._seed.length[state.rows], 1)  # bytes with arcs are characters
        return scaled_weights(np.concatenate([state.log_prob, fallback.log_prob]), length)

    def _expected_counts(self, state: _State) -> np.ndarray:
        """E step without branching entropy: expected counts (float64[n_tokens])."""
        fallback = self._fallback(state)
        expected = self._count(self._weights(state, fallback))
        return fold_fallback(expected, state.rows.size, fallback)[0]

    def _count(self, weight: np.ndarray) -> np.ndarray:
        """Expected counts of tokens and fallbacks over all shards."""
        return self._merge_shards(partial(shard_counts, weight=weight), np.add)

    def _statistics(self, state: _State, fallback: Fallback) -> Statistics:
        """E step with the sums of branching entropy."""
        return finished(self._sums(self._weights(state, fallback), fallback), fallback)

    def _sums(self, weight: np.ndarray, fallback: Fallback) -> ShardSums:
        """Sums of branching entropy over all shards."""
        how = partial(shard_statistics, logs=self._log_counts, membership=self._settings.membership)
        return self._merge_shards(partial(how, weight=weight, fallback=fallback), merge)

    def _record(self, state: _State, fallback: Fallback, statistics: Statistics) -> np.ndarray:
        """Store the round's statistics; returns the pruning scores (float64[n_tokens])."""
        p, be = token_statistics(statistics, self._facts.n_units)
        score = pruning_score(self._settings.score)
        known = {P: p, BE: be, EXPECTED_COUNT: statistics.expected_count}
        if score.needs_removal:
            known |= self._removal(state, fallback)._asdict()
        if NEIGHBOUR_BE in score.needs:
            neighbours = self._neighbours(_log_weight(state, fallback))
            known[NEIGHBOUR_BE] = neighbour_entropy(neighbours, state.rows.size, self._spans, fallback)
        values = score.values(known)
        self._rounds.append(Round(None, state.log_prob, p, be, values if score.is_stored else None))
        return values

    def _removal(self, state: _State, fallback: Fallback) -> Removal:
        log_weight = _log_weight(state, fallback)
        uses = fold_viterbi(self._best_uses(log_weight), state.rows.size, self._spans, fallback)
        return removal(uses, self._pieces(state, uses > 0, log_weight, fallback))

    def _best_uses(self, log_weight: np.ndarray) -> np.ndarray:
        """Uses of tokens and fallbacks in the best segmentations of all shards."""
        return self._merge_shards(partial(viterbi_counts, log_weight=log_weight), np.add)

    def _pieces(
        self, state: _State, is_wanted: np.ndarray, log_weight: np.ndarray, fallback: Fallback
    ) -> PiecesWithout:
        """Best segmentations of the wanted tokens without themselves."""
        rows = state.rows
        where = places(self._corpus, self._first[rows], self._seed.length[rows], self._character[rows])
        return pieces_without(is_wanted, where, self._arcs, self._tokens, log_weight, self._spans, fallback)

    def _neighbours(self, log_weight: np.ndarray) -> Neighbours:
        """Neighbours in the best segmentations of all shards."""
        return self._merge_shards(partial(shard_neighbours, log_weight=log_weight), add_neighbours)

    def _merge_shards(self, work: Callable[..., _Result], merge: Callable[[_Result, _Result], _Result]) -> _Result:
        """Results of `work` for the corpus, the number, the arcs and the tokens of each shard, merged in order."""
        corpus, arcs, tokens = self._corpus, self._arcs, self._tokens
        return merge_shards(corpus.n_shards, self._threads, lambda k: work(corpus, k, arcs, tokens[k]), merge)

    def _remove(self, state: _State, removed: np.ndarray, expected_count: np.ndarray) -> _State:
        """Remove tokens, then an M step on the survivors."""
        alive = self._drop(state, removed)
        return _State(state.rows[alive], maximise(expected_count[alive], self._protected()))

    def _drop(self, state: _State, removed: np.ndarray) -> np.ndarray:
        """Shrink and renumber the arcs; returns bool[n_tokens], the survivors."""
        n = state.rows.size
        alive = np.ones(n, dtype=bool)
        alive[removed] = False
        n_alive = int(alive.sum())
        n_alphabet = self._seed.alphabet.size
        new_token = np.full(n + n_alphabet, -1, dtype=np.int32)
        new_token[:n][alive] = np.arange(n_alive)
        new_token[n:] = n_alive + np.arange(n_alphabet)
        if not self._settings.partial_characters:
            # The arcs of a removed character stay, as fallbacks.
            character = self._character[state.rows[removed]]
            new_token[removed[character >= 0]] = n_alive + character[character >= 0]
        self._shrink(new_token, n_alive)
        if n_alive <= self._split_size:
            self._split_size = int(n_alive * _SPLIT_AGAIN)
            self._split(n_alive)
        if self._holders is not None:
            self._holders = self._holders.after(alive)
        return alive

    def _shrink(self, new_token: np.ndarray, n_tokens: int) -> None:
        """Switch to a smaller vocabulary in all shards."""
        partial = self._settings.partial_characters
        self._tokens = self._in_each_shard(
            lambda k: shrink_arcs(self._arcs, self._corpus, k, self._tokens[k], new_token, n_tokens, partial)
        )

    def _split(self, n_tokens: int) -> None:
        """Split the pre-tokens of all shards where no arc crosses any more."""
        self._corpus, self._arcs, self._first = split(self._corpus, self._arcs, self._first, self._threads)
        self._mark(n_tokens)

    def _mark(self, n_tokens: int) -> None:
        """Precompute `repeats` and `log_counts` for the statistics."""
        self._in_each_shard(
            lambda k: mark_repeats(self._arcs, self._corpus, k, self._tokens[k], n_tokens, self._settings)
        )
        self._log_counts = log_counts(self._corpus)

    def _protected(self) -> np.ndarray | None:
        return None if self._holders is None else self._holders.character


def _log_weight(state: _State, fallback: Fallback) -> np.ndarray:
    """Log probabilities of the tokens, and of the best segmentations of the fallbacks."""
    return np.concatenate([state.log_prob, fallback.log_prob_best])


def train(corpus: Corpus, settings: TrainingSettings, threads: int = 1, seed_tokens: list[str] | None = None) -> Model:
    """Train in one call."""
    trainer = Trainer(corpus, settings, threads, seed_tokens)
    for _ in trainer.rounds():
        pass
    return trainer.model()


def byte_runs(seed: SeedVocabulary, min_count: int) -> dict[bytes, int]:
    """Proper substrings of two or more bytes inside a character, with their counts in the corpus."""
    counts: dict[bytes, int] = {}
    for code, count in zip(seed.alphabet.tolist(), seed.alphabet_count.tolist(), strict=True):
        encoded = chr(code).encode()
        for begin in range(len(encoded)):
            for end in range(begin + 2, len(encoded) + 1):
                if end - begin < len(encoded):
                    run = encoded[begin:end]
                    counts[run] = counts.get(run, 0) + count
    return {run: count for run, count in counts.items() if count >= min_count}


def add_byte_runs(
    seed: SeedVocabulary, rows: list[np.ndarray], runs: dict[bytes, int]
) -> tuple[SeedVocabulary, list[np.ndarray]]:
    """Insert the runs into the seed vocabulary (rows stay sorted by bytes); returns it and the renumbered rows."""
    tokens = [seed.blob[a:b].tobytes() for a, b in zip(seed.ptr[N_BYTES:-1], seed.ptr[N_BYTES + 1 :], strict=True)]
    every = sorted(tokens + list(runs))
    place = {token: N_BYTES + k for k, token in enumerate(every)}
    new_row = np.concatenate([np.arange(N_BYTES), [place[token] for token in tokens]]).astype(np.int32)
    n_rows = N_BYTES + len(every)

    weight, first, length = np.zeros(n_rows), np.full(n_rows, -1), np.zeros(n_rows, dtype=np.int64)
    weight[new_row], first[new_row], length[new_row] = seed.weight, seed.first, seed.length
    for run, count in runs.items():
        weight[place[run]] = count
    sizes = np.array([1] * N_BYTES + [len(token) for token in every])
    return (
        seed._replace(
            blob=np.frombuffer(bytes(range(N_BYTES)) + b"".join(every), dtype=np.uint8),
            ptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            weight=weight,
            first=first,
            length=length,
            character_row=np.where(seed.character_row >= 0, new_row[seed.character_row], -1).astype(np.int32),
        ),
        [np.where(row >= 0, new_row[row], -1).astype(np.int32) for row in rows],
    )


def build_corpus(lines: Sequence[str] | str, settings: TrainingSettings, threads: int = 1) -> Corpus:
    """Arrays of the lines; empty lines are skipped.

    Parameters
    ----------
    lines : the sentences, or one text with \\n between them.
    settings : only `pretokenizer`, `normalization` and `context` are used.
    threads : the result does not depend on it.

    Raises
    ------
    InputError : there is no text, it contains a lone surrogate, or the pattern of the pre-tokenizer is invalid
        or too slow.

    Examples
    --------
    >>> corpus = build_corpus(["가나 다라", "가나 마바", "가나 다라"], TrainingSettings())
    >>> [corpus.pretokens.text(i) for i in range(corpus.pretokens.count.size)], corpus.sentence_count.tolist()
    (['가나 다라', '가나 마바'], [2, 1])
    >>> corpus.n_words
    6
    """
    text = normalize(lines if isinstance(lines, str) else "\n".join(lines), settings.normalization)
    found = find_lines(text)
    if found.begin.size == 0:
        raise InputError("corpus.empty")
    return assemble_corpus(found, pretokenizer_for(settings.pretokenizer, text), settings.context, threads)
