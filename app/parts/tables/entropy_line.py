"""Why BE × P ranks nearly as P does: the line BE = log(N·P), and the tokens far from it.

With N sentences, c(y) the count of a distinct sentence y and m(y) = P(x|y), N·P(x) = sum c(y) m(y) is the expected
number of sentences with x (eq. 5), and eq. 1 is exactly

    BE(x) = log(N·P(x)) - sum w(y) log(c(y) m(y)),  w(y) = c(y) m(y) / (N·P(x)).

If all sentences are distinct (c = 1) and x is certain wherever it occurs (m = 1), x has as many contexts as it has
occurrences and the sum is 0. The score is then P·log(N·P), which increases with P as soon as N·P > 1/e. A token is
above the line where other segmentations compete with it (m < 1), below it where its sentences are repeated (c > 1).
"""

import numpy as np
import pandas as pd

from app.parts.tables.tokens import BYTE
from engine.config import N_BYTES
from engine.tokenizer import PrunedTokenizer
from engine.unigram.train.pruning import LEAST_COUNT

_NEAR = 0.01  # nats from the line: rounding, not an exception


def above_line(table: pd.DataFrame, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (int64[n]) of the tokens of `round_tokens` that can be removed for their score, and BE - log(N·P) (nats)."""
    count = table["p"].to_numpy() * n_units
    rows = np.flatnonzero((table["fate"] != BYTE).to_numpy() & (count >= LEAST_COUNT))
    return rows, table["be"].to_numpy()[rows] - np.log(count[rows])


def farthest(table: pd.DataFrame, n_units: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (int64) of the tokens farthest above and below the line, at most `n` each, the farthest first."""
    rows, distance = above_line(table, n_units)
    return rows[_least(-distance, n)], rows[_least(distance, n)]


def _least(values: np.ndarray, n: int) -> np.ndarray:
    """Index of the values that are not near the line, at most `n`, the least first."""
    bound = np.partition(values, n - 1)[n - 1] if n < values.size else np.inf
    index = np.flatnonzero((values <= bound) & (values < -_NEAR))
    return index[np.argsort(values[index], kind="stable")][:n]


def agreement_table(model: PrunedTokenizer) -> pd.DataFrame:
    """How alike BE × P and P rank the prunable tokens of each stored round.

    Columns: number, vocab_size, spearman (rank correlation), n_removed (for their score, not as rare), shared (of those
    that BE × P ranks lowest, the share that P ranks lowest too; NaN if none is removed).
    """
    rows = []
    for number in model.kept_rounds:
        entry, report = model.history[number], model.rounds[number]
        prunable = model.alive_rows(number) >= N_BYTES
        tokens = pd.DataFrame({"p": entry.sentence_prob[prunable], "be": entry.branching_entropy[prunable]})
        tokens["be_p"] = tokens["p"] * tokens["be"]
        common = tokens[tokens["p"] * model.corpus_units >= LEAST_COUNT]
        n_removed = max(0, report.n_removed - (len(tokens) - len(common)))
        lowest = [common[score].nsmallest(n_removed).index for score in ("be_p", "p")]
        rows.append(
            {
                "number": number,
                "vocab_size": report.vocab_size,
                "spearman": tokens["be_p"].rank().corr(tokens["p"].rank()),
                "n_removed": n_removed,
                "shared": len(lowest[0].intersection(lowest[1])) / n_removed if n_removed else np.nan,
            }
        )
    return pd.DataFrame(rows)
