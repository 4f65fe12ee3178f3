"""What a vocabulary costs and what a sequence costs: parameters, attention, unknown words."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd


def embedding_parameters(vocab_size: int, width: int, tables: int = 2) -> int:
    """Parameters of the embedding tables: tables x V x d (input and output table, or one that both share)."""
    return tables * vocab_size * width


def attention_pairs(n_tokens: float) -> float:
    """Pairs of positions that full attention compares: n^2."""
    return n_tokens**2


def unknown_table(train: Sequence[str], test: Sequence[str], sizes: Sequence[int]) -> pd.DataFrame:
    """Share of the running words of `test` that the most frequent words of `train` do not hold.

    Columns: vocab_size (words), unknown (share of running words, 0 to 1).
    """
    counts = Counter(word for line in train for word in line.split())
    ranked = [word for word, _ in counts.most_common()]
    words = [word for line in test for word in line.split()]
    rows = []
    for size in sizes:
        known = set(ranked[:size])
        rows.append((min(size, len(ranked)), sum(word not in known for word in words) / max(1, len(words))))
    return pd.DataFrame(rows, columns=["vocab_size", "unknown"]).drop_duplicates("vocab_size")
