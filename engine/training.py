"""A common interface for training any tokenizer: settings and lines in, progress reports, a model at the end.

Algorithms are imported on use, so that a training loads only the kernels it needs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.config import AUTHORS_SEEDS, MERGE_ALGORITHMS, SUPERBPE, UNIGRAM_ALGORITHMS, TrainingSettings
from engine.errors import require_between
from engine.machine.threads import MOST_THREADS
from engine.progress import Progress

if TYPE_CHECKING:
    from engine.corpus.arrays import Pretokens
    from engine.merges.trainer import MergeTrainer
    from engine.tokenizer import Tokenizer  # loads Numba, which a worker does after its first message
    from engine.unigram.train.trainer import Trainer


class Training:
    """A training that is ready to run. Iterate over `rounds()` to the end, then call `model()`.

    Attributes
    ----------
    feasible : minimum and maximum vocabulary size for these settings and this corpus. BPE and WordPiece may stop below
        the maximum if no pair is left.
    last_removed : some of the tokens that the last round removed.
    """

    def __init__(
        self,
        feasible: tuple[int, int],
        rounds: Callable[[], Iterator[Progress]],
        model: Callable[[], "Tokenizer"],
        last_removed: Callable[[int], list[str]] = lambda limit: [],
    ) -> None:
        self.feasible = feasible
        self.rounds = rounds
        self.model = model
        self.last_removed = last_removed


def start_training(lines: Sequence[str], settings: TrainingSettings, threads: int = 1) -> Training:
    """Prepare the corpus and the trainer.

    Raises
    ------
    InputError : there is no text, the size or the number of threads is not feasible, or the pre-tokenizer is unusable.

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
    require_between("threads", threads, 1, MOST_THREADS)
    if settings.algorithm in UNIGRAM_ALGORITHMS:
        return _unigram(lines, settings, threads)
    if settings.algorithm in MERGE_ALGORITHMS:
        return _merges(lines, settings)
    return _counted(lines, settings)


def train(lines: Sequence[str], settings: TrainingSettings, threads: int = 1) -> "Tokenizer":
    """Train a tokenizer in one call.

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
    from engine.machine.malloc import give_back_large_arrays
    from engine.unigram.train.trainer import Trainer, build_corpus

    give_back_large_arrays()
    corpus = build_corpus(lines, settings, threads)
    if settings.seed_vocabulary in AUTHORS_SEEDS:
        from engine.unigram.train.authors import AuthorsTrainer

        return unigram_training(AuthorsTrainer(corpus, settings))
    tokens = seed_tokens(corpus.pretokens, settings)
    return unigram_training(Trainer(corpus, settings, threads, tokens))


def seed_tokens(pretokens: "Pretokens", settings: TrainingSettings) -> list[str] | None:
    """The multi-character tokens of the seed vocabulary `bpe`; None for the other seed vocabularies."""
    if settings.seed_vocabulary != "bpe":
        return None
    from engine.merges.trainer import bpe_tokens  # loads kernels that no other seed needs

    return bpe_tokens(pretokens, settings)


def unigram_training(trainer: "Trainer") -> Training:
    """Adapt a Thunder-Tok or Unigram trainer."""
    from engine.machine.malloc import give_back_holes

    low, high = trainer.feasible

    def rounds() -> Iterator[Progress]:
        give_back_holes()
        for report in trainer.rounds():
            give_back_holes()
            yield report

    return Training((int(low), int(high)), rounds, trainer.model, trainer.last_removed)


def _merges(lines: Sequence[str], settings: TrainingSettings) -> Training:
    if settings.algorithm == SUPERBPE:
        from engine.merges.superbpe import superbpe_trainer

        return merge_training(superbpe_trainer(lines, settings))
    from engine.merges.trainer import merge_trainer

    return merge_training(merge_trainer(lines, settings))


def merge_training(trainer: "MergeTrainer") -> Training:
    """Adapt a merge trainer."""
    return Training(trainer.feasible, trainer.rounds, trainer.model)


def _counted(lines: Sequence[str], settings: TrainingSettings) -> Training:
    """Words, characters or bytes: one pass over the corpus, no iterations."""
    from engine.merges.plain import plain_tokenizer

    tokenizer, feasible, n_tokens = plain_tokenizer(lines, settings)

    def rounds() -> Iterator[Progress]:
        yield Progress(0, tokenizer.vocab_size, n_tokens, n_tokens, None, 0, True)

    return Training(feasible, rounds, lambda: tokenizer)
