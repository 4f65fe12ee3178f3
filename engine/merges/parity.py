"""Parity-aware BPE (arXiv 2508.04796): each merge is the best pair of the language that needs the most tokens.

How many tokens a language needs is counted on parallel sentences. The model is ordinary byte-level BPE. Languages and
pairs are chosen as in `tokenizers.trainers.ParityBpeTrainer`: of equal languages the first, of equal pairs the greater
one as text in the printable characters of GPT-2. A text made from different parts gets an id for each, as in all BPE
here, where that trainer gives them one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.config import TrainingSettings
from engine.corpus.arrays import Pretokens, _count_words, count_pretokens, frozen
from engine.corpus.morphemes.selective import is_selective
from engine.corpus.normalize import normalize
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.errors import InputError
from engine.merge_history import MergeHistory
from engine.merge_settings import MergeSettings, merge_settings
from engine.merges.run import MergeRun
from engine.merges.trainer import _REPORT_EVERY, MergeTrainer
from engine.merges.vocabulary import first_tokens
from engine.pretokenization import pretokenizer_for
from engine.progress import Progress


class ParityTrainer(MergeTrainer):
    """Learns merges that even out the languages; the interface is that of MergeTrainer.

    Parameters
    ----------
    texts : the corpus of each language as distinct pre-tokens.
    parallel : the same sentences in each language, as distinct pre-tokens.
    settings : of byte-level BPE.
    global_merges : this many merges are first made of the most frequent pairs of all languages together.
    n_words, pretokenizer : as in MergeTrainer.

    Attributes
    ----------
    turns : the language whose pair each merge is, -1 for the first `global_merges`.

    Raises
    ------
    InputError : as MergeTrainer.
    """

    def __init__(
        self,
        texts: Sequence[Pretokens],
        parallel: Sequence[Pretokens],
        settings: MergeSettings,
        global_merges: int = 0,
        n_words: int | None = None,
        pretokenizer: Pretokenizer | None = None,
    ) -> None:
        together = _joined(texts)
        super().__init__(together, settings, n_words, pretokenizer)
        self._run = self._run_of(together)
        self._global_merges = global_merges
        self._languages: list[_Merged] = [_Merged(self._run_of(text)) for text in texts]
        self._parallel: list[_Merged] = [_Merged(self._run_of(text)) for text in parallel]
        self.turns: list[int] = []

    def _run_of(self, pretokens: Pretokens) -> MergeRun:
        symbols, ptr = self.alphabet.symbols(frozen(pretokens.chars), pretokens.ptr[:-1], pretokens.ptr[1:])
        first = first_tokens(self.settings.specials, self.alphabet.tokens)
        # Bytes have their ids in the order of the characters that GPT-2 writes them with, which decides between equals.
        tokens = [token._replace(label=chr(token_id)) for token_id, token in enumerate(first)]
        count = np.asarray(pretokens.count, dtype=np.int64)
        return MergeRun(symbols, ptr, count, tokens, replace(self.settings, algorithm="bpe", ties="lexicographic"))

    def rounds(self, every: int = _REPORT_EVERY) -> Iterator[Progress]:
        """Train; yields a report before the first merge and after every `every` merges. It can be iterated once."""
        target = self.target
        first = self._global_merges if target is None else min(self._global_merges, target)
        for report in self._merge_to(first, every):
            yield report._replace(is_last=False)
        left, self._languages = self._languages, []
        pairs = [np.stack([part.left, part.right], axis=1) for part in self._parts]
        made = [pair for part in pairs for pair in part]
        self.turns = [-1] * len(made)
        runs = list(left)
        while left and (target is None or len(made) < target):
            chosen = self._most_expensive(left, runs, made)
            part = chosen.choose(made)
            if part is None:
                left.remove(chosen)
                continue
            self._parts.append(part)
            self.turns.append(runs.index(chosen))
            made.append(np.array([part.left[0], part.right[0]], dtype=np.int32))
            if len(made) % every == 0:
                yield self._progress(len(made), self._n_tokens(runs, made), float(part.frequency[0]), False)
        n_tokens = self._n_tokens(runs, made)
        whole = np.sum([np.concatenate([np.empty(0, np.int64), *merged.n_tokens]) for merged in runs], axis=0)
        self._parts = [self.history._replace(n_tokens=whole.astype(np.int64))]
        yield self._progress(len(made), n_tokens, None, True)

    def _most_expensive(self, left: list["_Merged"], runs: list["_Merged"], made: list[np.ndarray]) -> "_Merged":
        """The language of most tokens. Numbers only fall, so those that are not the largest need not be up to date."""
        while True:
            chosen = max(left, key=lambda language: self._parallel[runs.index(language)].run.n_tokens)
            if not self._parallel[runs.index(chosen)].follow(made):
                return chosen

    def _n_tokens(self, runs: Sequence["_Merged"], made: list[np.ndarray]) -> int:
        for merged in runs:
            merged.follow(made)
        return sum(merged.run.n_tokens for merged in runs)


class _Merged:
    """A text in which merges that others chose are made when they are needed."""

    def __init__(self, run: MergeRun) -> None:
        self.run = run
        self.n_tokens: list[np.ndarray] = []  # after each merge, in parts
        self._n_made = 0

    def follow(self, made: list[np.ndarray]) -> bool:
        """Make the merges up to here; returns whether there were any to make."""
        if self._n_made == len(made):
            return False
        self._merge(made, 0)
        return True

    def choose(self, made: list[np.ndarray]) -> MergeHistory | None:
        """Make the merges up to here, and the best one that follows; None if there is none."""
        part = self._merge(made, 1)
        return part if part.n_merges else None

    def _merge(self, made: list[np.ndarray], more: int) -> MergeHistory:
        given = np.array(made[self._n_made :], dtype=np.int32).reshape(-1, 2)
        history = self.run.merge(len(given) + more, given)
        self.n_tokens.append(history.n_tokens)
        self._n_made += history.n_merges
        return MergeHistory(*(column[len(given) :] for column in history))


def _joined(texts: Sequence[Pretokens]) -> Pretokens:
    """The pre-tokens of all texts; one that several have is there several times."""
    chars = np.concatenate([text.chars for text in texts])
    lengths = np.concatenate([np.diff(text.ptr) for text in texts])
    ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Pretokens(chars, ptr, np.concatenate([text.count for text in texts]))


def parity_trainer(
    texts: Sequence[Sequence[str]],
    parallel: Sequence[Sequence[str]],
    settings: TrainingSettings,
    global_merges: int = 0,
) -> ParityTrainer:
    """A trainer for the lines of each language and their parallel sentences, normalised and cut as the settings say.

    Raises
    ------
    InputError : the numbers of languages or of parallel lines differ, or as `engine.merges.trainer.merge_trainer`.
    """
    if len(texts) != len(parallel):
        raise InputError("parity.files", texts=len(texts), parallel=len(parallel))
    numbers = [len(lines) for lines in parallel]
    if len(set(numbers)) > 1:
        raise InputError("parity.lines", numbers=", ".join(f"{number:,}" for number in numbers))
    if global_merges < 0:
        raise InputError("parity.global", number=global_merges)
    form = settings.normalization
    if form != "none":
        texts, parallel = ([[normalize(line, form) for line in lines] for lines in part] for part in (texts, parallel))
    lines = [line for text in texts for line in text]
    pretokenizer = pretokenizer_for(settings.pretokenizer, lines)
    corpora, sentences = ([count_pretokens(text, pretokenizer) for text in part] for part in (texts, parallel))
    for number, pretokens in enumerate((*corpora, *sentences)):
        if pretokens.count.size == 0:
            raise InputError("parity.empty", number=number % len(texts) + 1)
    return ParityTrainer(
        corpora,
        sentences,
        merge_settings(replace(settings, algorithm="byte-bpe", ties="lexicographic")),
        global_merges,
        int(_count_words(to_codes("\n".join(lines)))),
        None if is_selective(settings.pretokenizer) else pretokenizer,
    )
