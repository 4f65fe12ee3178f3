"""Do fewer tokens preserve fewer morphemes? A tokenizer with the smaller or larger vocabularies of its own training."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.measure.encoded import encode_lines
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.morphology import boundary_f1, check_unchanged
from engine.measure.result import ratio
from engine.tokenizer import Tokenizer

_MERGE_SHARES = (2, 4, 8)


class TradeoffPoint(NamedTuple):
    """A vocabulary on analysed lines.

    Attributes
    ----------
    vocab_size : number of tokens.
    round : the pruning round that produced it; None without rounds.
    fertility : tokens per eojeol, over the whole text.
    f1 : of morpheme boundaries inside aligned eojeols.
    """

    vocab_size: int
    round: int | None
    fertility: float
    f1: float


def tradeoff_points(tokenizer: Tokenizer, analysis: Analysis) -> Iterator[TradeoffPoint]:
    """The tokenizer itself; then its earlier pruning rounds, last first, or versions with a half, a quarter and an
    eighth of its merges, as if training had stopped at a smaller size.

    Raises
    ------
    InputError : the tokenizer normalizes the text to another one, to which the analysis does not apply.
    """
    encoded = encode_lines(tokenizer, analysis.lines)
    check_unchanged(encoded)
    pruning, merges = tokenizer.pruning, tokenizer.merges
    last = None if pruning is None else pruning.last_round
    yield _point(tokenizer.vocab_size, last, encoded.begin, encoded.end, analysis)
    if pruning is not None:
        for number in reversed(pruning.kept_rounds[:-1]):
            vocabulary = pruning.vocabulary(number)
            size = vocabulary.sizes[vocabulary.encode_lines(analysis.lines)[0]]
            end = np.cumsum(size)
            yield _point(pruning.alive_rows(number).size, number, end - size, end, analysis)
    elif merges is not None:
        for share in _MERGE_SHARES:
            smaller = merges.at(merges.n_merges // share)
            encoded = encode_lines(smaller, analysis.lines)
            yield _point(smaller.vocab_size, None, encoded.begin, encoded.end, analysis)


def _point(
    vocab_size: int, number: int | None, begin: np.ndarray, end: np.ndarray, analysis: Analysis
) -> TradeoffPoint:
    fertility = ratio(end.size, analysis.word_begin.size)
    return TradeoffPoint(vocab_size, number, fertility, boundary_f1(begin, end, analysis))
