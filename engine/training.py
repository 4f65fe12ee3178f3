"""One way to train any tokenizer: settings and lines in, reports on the way, a model at the end.

The algorithms are imported when they are asked for: a training loads its own kernels and no others.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.config import MERGE_ALGORITHMS, UNIGRAM_ALGORITHMS, TrainingSettings


class Progress(NamedTuple):
    """Where a training stands.

    Attributes
    ----------
    number : pruning rounds, or merges, that are done; 0 is the start.
    vocab_size : tokens of the vocabulary, special tokens included.
    objective : what training makes small: nats a unit (unigram), tokens of the corpus (all others).
    n_tokens : tokens of the corpus, expected ones with a unigram model.
    threshold : score of the best token that was removed, or count of the pair merged last; None where there is none.
    n_removed : tokens removed at the round's end; 0 with algorithms that only add.
    is_last : nothing changes any more.
    """

    number: int
    vocab_size: int
    objective: float
    n_tokens: float
    threshold: float | None
    n_removed: int
    is_last: bool


class Training:
    """A training that can begin. Iterate `rounds()` to the end, then ask for `model()`.

    Attributes
    ----------
    feasible : smallest and largest vocabulary size that the settings allow on this corpus. BPE and WordPiece may end
        below the largest, where no pair is left.
    """

    def __init__(
        self, feasible: tuple[int, int], rounds: Callable[[], Iterator[Progress]], model: Callable[[], Any]
    ) -> None:
        self.feasible = feasible
        self.rounds = rounds
        self.model = model


def start_training(lines: Sequence[str], settings: TrainingSettings, threads: int = 1) -> Training:
    """Count the corpus and make everything ready.

    Raises
    ------
    InputError : there is no text, the vocabulary size is not feasible, or the pre-tokenizer cannot be used.
    """
    if settings.algorithm in UNIGRAM_ALGORITHMS:
        return _unigram(lines, settings, threads)
    if settings.algorithm in MERGE_ALGORITHMS:
        return _merges(lines, settings)
    return _counted(lines, settings)


def save_tokenizer(model: Any, path: str | Path) -> str:
    """Write the model file, whole or not at all; returns the SHA-256 of its bytes (hex).

    Raises
    ------
    InputError : the file cannot be written.
    """
    from engine.unigram.model import Model
    from engine.unigram.model_file import save_model

    if isinstance(model, Model):
        return save_model(model, path)
    from engine.merges.model_file import save_merge_model

    return save_merge_model(model, path)


def _unigram(lines: Sequence[str], settings: TrainingSettings, threads: int) -> Training:
    from engine.unigram.trainer import Trainer
    from engine.unigram.training_corpus import build_corpus

    trainer = Trainer(build_corpus(lines, settings), settings, threads)
    low, high = trainer.feasible

    def rounds() -> Iterator[Progress]:
        for report in trainer.rounds():
            yield Progress(**report._asdict())

    return Training((int(low), int(high)), rounds, trainer.model)


def _merges(lines: Sequence[str], settings: TrainingSettings) -> Training:
    from engine.merges.trainer import merge_trainer

    trainer = merge_trainer(lines, settings)

    def rounds() -> Iterator[Progress]:
        for report in trainer.rounds():
            tokens = int(report.n_tokens)
            threshold = float(report.frequency) if report.n_merges else None
            yield Progress(report.n_merges, report.vocab_size, tokens, tokens, threshold, 0, report.is_last)

    return Training(trainer.feasible, rounds, trainer.model)


def _counted(lines: Sequence[str], settings: TrainingSettings) -> Training:
    """Words, characters and bytes: one count of the corpus, nothing to improve."""
    from engine.merges.plain import plain_tokenizer

    tokenizer, feasible, n_tokens = plain_tokenizer(lines, settings)

    def rounds() -> Iterator[Progress]:
        yield Progress(0, tokenizer.vocab_size, n_tokens, n_tokens, None, 0, True)

    return Training(feasible, rounds, lambda: tokenizer)
