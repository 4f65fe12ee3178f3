"""Tokens of a text at every vocabulary size that a training passed through."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.tokenizer import Tokenizer

_POINTS = 14


def growth_table(tokenizer: Tokenizer, lines: Sequence[str]) -> pd.DataFrame:
    """One row per size: vocab_size, step (pruning round, or number of merges), tokens, fertility, tokens_per_line.

    Sizes come from the pruning rounds of Thunder-Tok and the Unigram LM, or the merge history of BPE and WordPiece;
    nothing is trained again. A tokenizer without a history has one row.
    """
    words = max(1, sum(len(line.split()) for line in lines))
    rows = [(size, step, tokens) for size, step, tokens in _points(tokenizer, lines)]
    table = pd.DataFrame(rows, columns=["vocab_size", "step", "tokens"]).sort_values("vocab_size", ignore_index=True)
    return table.assign(fertility=table["tokens"] / words, tokens_per_line=table["tokens"] / max(1, len(lines)))


def _points(tokenizer: Tokenizer, lines: Sequence[str]) -> list[tuple[int, int, int]]:
    if (pruned := tokenizer.pruning) is not None:
        return [
            (report.vocab_size, report.number, sum(pruned.segment(line, report.number)[1].size for line in lines))
            for report in pruned.rounds
        ]
    if (merged := tokenizer.merges) is not None:
        steps = np.unique(np.geomspace(1, merged.n_merges + 1, _POINTS).astype(int) - 1).tolist()
        return [(merged.n_first + n, n, sum(len(merged.encode_after(n, line).ids) for line in lines)) for n in steps]
    return [(tokenizer.vocab_size, 0, sum(len(tokenizer.encode(line).ids) for line in lines))]
