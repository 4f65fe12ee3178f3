"""Tokens of a text at every vocabulary size that one training has been through."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd

from engine.merges.bpe import Bpe
from engine.merges.merged import Merged
from engine.tokenizer import Tokenizer
from engine.unigram.model import Model

_POINTS = 14


def growth_table(tokenizer: Tokenizer, lines: Sequence[str]) -> pd.DataFrame:
    """One row a size: vocab_size, step (pruning round, or number of merges), tokens, fertility, tokens_per_line.

    Thunder-Tok and the Unigram LM are read off their pruning rounds, BPE and WordPiece off their merge history, so
    nothing is trained again. A tokenizer without a history has one row.
    """
    words = max(1, sum(len(line.split()) for line in lines))
    rows = [(size, step, tokens) for size, step, tokens in _points(tokenizer, lines)]
    table = pd.DataFrame(rows, columns=["vocab_size", "step", "tokens"]).sort_values("vocab_size", ignore_index=True)
    return table.assign(fertility=table["tokens"] / words, tokens_per_line=table["tokens"] / max(1, len(lines)))


def _points(tokenizer: Tokenizer, lines: Sequence[str]) -> list[tuple[int, int, int]]:
    if isinstance(tokenizer, Model):
        return [
            (report.vocab_size, report.number, sum(tokenizer.segment(line, report.number)[1].size for line in lines))
            for report in tokenizer.rounds
        ]
    if isinstance(tokenizer, Merged):
        steps = np.unique(np.geomspace(1, tokenizer.n_merges + 1, _POINTS).astype(int) - 1).tolist()
        return [(tokenizer.n_first + n, n, _after(tokenizer, n, lines)) for n in steps]
    return [(tokenizer.vocab_size, 0, sum(len(tokenizer.encode(line).ids) for line in lines))]


def _after(tokenizer: Merged, n_merges: int, lines: Sequence[str]) -> int:
    """Tokens with the first so many merges."""
    if isinstance(tokenizer, Bpe):
        return sum(len(tokenizer.encode(line, n_merges=n_merges).ids) for line in lines)
    then = cast(Tokenizer, tokenizer.at(n_merges))
    return sum(len(then.encode(line).ids) for line in lines)
