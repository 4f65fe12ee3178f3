"""One way to train any tokenizer: settings and lines in, reports on the way, a model at the end.

The algorithms are imported when they are asked for: a training loads its own kernels and no others.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.config import MERGE_ALGORITHMS, UNIGRAM_ALGORITHMS, TrainingSettings

if TYPE_CHECKING:
    from engine.corpus.arrays import Pretokens
    from engine.merges.trainer import MergeTrainer
    from engine.tokenizer import Tokenizer  # loads Numba, which a worker does after its first word
    from engine.unigram.train.trainer import Trainer


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
        self, feasible: tuple[int, int], rounds: Callable[[], Iterator[Progress]], model: Callable[[], "Tokenizer"]
    ) -> None:
        self.feasible = feasible
        self.rounds = rounds
        self.model = model


def start_training(lines: Sequence[str], settings: TrainingSettings, threads: int = 1) -> Training:
    """Count the corpus and make everything ready.

    Raises
    ------
    InputError : there is no text, the vocabulary size is not feasible, or the pre-tokenizer cannot be used.

    Examples
    --------
    >>> lines = ["가나 다라", "가나 마바", "가나 다라 마바"]
    >>> training = start_training(lines, TrainingSettings(vocab_size=258))
    >>> training.feasible
    (256, 269)
    >>> [(report.number, report.vocab_size, report.n_removed) for report in training.rounds()]
    [(0, 269, 10), (1, 259, 1), (2, 258, 0)]
    >>> training.model().vocab_size
    258
    """
    if settings.algorithm in UNIGRAM_ALGORITHMS:
        return _unigram(lines, settings, threads)
    if settings.algorithm in MERGE_ALGORITHMS:
        return _merges(lines, settings)
    return _counted(lines, settings)


def train(lines: Sequence[str], settings: TrainingSettings, threads: int = 1) -> "Tokenizer":
    """The tokenizer that the settings ask for, without a look at the rounds on the way.

    Raises
    ------
    InputError : as start_training.

    Examples
    --------
    >>> tokenizer = train(["low low lower newest"], TrainingSettings(algorithm="bpe", vocab_size=16))
    >>> [tokenizer.token_label(token_id) for token_id in tokenizer.encode("lowest").ids]
    ['low', 'e', 's', 't</w>']
    """
    training = start_training(lines, settings, threads)
    for _ in training.rounds():
        pass
    return training.model()


def _unigram(lines: Sequence[str], settings: TrainingSettings, threads: int) -> Training:
    from engine.malloc import give_back_large_arrays
    from engine.unigram.train.trainer import Trainer
    from engine.unigram.train.training_corpus import build_corpus

    give_back_large_arrays()
    corpus = build_corpus(lines, settings)
    tokens = seed_tokens(corpus.pretokens, settings)
    return unigram_training(Trainer(corpus, settings, threads, tokens))


def seed_tokens(pretokens: "Pretokens", settings: TrainingSettings) -> list[str] | None:
    """BPE's tokens of several characters, where the settings take the seed vocabulary from them; None elsewhere."""
    if settings.seed_vocabulary != "bpe":
        return None
    from engine.merges.seed import bpe_tokens  # and with it kernels that no other seed needs

    return bpe_tokens(pretokens, settings)


def unigram_training(trainer: "Trainer") -> Training:
    """The training that a Thunder-Tok or Unigram trainer does."""
    low, high = trainer.feasible

    def rounds() -> Iterator[Progress]:
        for report in trainer.rounds():
            yield Progress(**report._asdict())

    return Training((int(low), int(high)), rounds, trainer.model)


def _merges(lines: Sequence[str], settings: TrainingSettings) -> Training:
    from engine.merges.trainer import merge_trainer

    return merge_training(merge_trainer(lines, settings))


def merge_training(trainer: "MergeTrainer") -> Training:
    """The training that a trainer of merges does."""

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
