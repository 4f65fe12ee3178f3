"""A vote on the next BPE merge: the candidate pairs, and the corpus after the merges the class chose."""

from collections.abc import Sequence
from typing import NamedTuple

from app.lessons.questions.choice import Choice
from app.lessons.questions.question import Option
from app.lessons.toy_corpus import read_toy_corpus
from app.lessons.toy_merges import PairScore, Symbols, apply_merge, first_symbols, rank_pairs
from engine.errors import InputError
from engine.merge_settings import MergeSettings

_N_OPTIONS = 4
_PLUS = "\u00a0+\u00a0"
SETTINGS = MergeSettings(algorithm="bpe", vocab_size=None, continuing="", end_of_word="", mark_place="symbol")


class MergeVote(NamedTuple):
    """The corpus before the merge being voted on.

    Attributes
    ----------
    words : every word's symbols after the merges of the class, and its count.
    pairs : the candidates, most frequent first.
    n_tokens : symbols in the corpus.
    bpe_tokens : symbols in the corpus after the same number of BPE merges.
    """

    words: tuple[tuple[Symbols, int], ...]
    pairs: tuple[PairScore, ...]
    n_tokens: int
    bpe_tokens: int

    @property
    def question(self) -> Choice:
        options = sorted(Option(_PLUS.join(row.pair), _PLUS.join(row.pair)) for row in self.pairs)
        best = tuple(_PLUS.join(row.pair) for row in self.pairs if row.frequency == self.pairs[0].frequency)
        return Choice(tuple(options), best)


def merge_vote(corpus: str, merges: Sequence[str]) -> MergeVote:
    """The vote after these merges, each given as the code of an option.

    Raises
    ------
    InputError : the corpus is invalid, or fewer than two pairs are left.
    """
    words = [(first_symbols(word, SETTINGS), count) for word, count in read_toy_corpus(corpus).items()]
    by_bpe = list(words)
    for merge in merges:
        words = _merged(words, tuple(merge.split(_PLUS)))
        if best := rank_pairs(by_bpe, SETTINGS):
            by_bpe = _merged(by_bpe, best[0].pair)
    pairs = rank_pairs(words, SETTINGS)[:_N_OPTIONS]
    if len(pairs) < 2:
        raise InputError("room.no_pairs")
    return MergeVote(tuple(words), tuple(pairs), _n_tokens(words), _n_tokens(by_bpe))


def _merged(words: Sequence[tuple[Symbols, int]], pair: tuple[str, ...]) -> list[tuple[Symbols, int]]:
    if len(pair) != 2:
        return list(words)
    return [(apply_merge(symbols, (pair[0], pair[1]), pair[0] + pair[1]), count) for symbols, count in words]


def _n_tokens(words: Sequence[tuple[Symbols, int]]) -> int:
    return sum(len(symbols) * count for symbols, count in words)
