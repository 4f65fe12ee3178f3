"""Description length by vocabulary size, as a table."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.measure.description import description_by_merges
from engine.tokenizer import MergedTokenizer

_POINTS = 40


def description_table(model: MergedTokenizer, lines: Sequence[str]) -> pd.DataFrame:
    """One row per size, of a model on its training text, starting with the initial symbols only.

    Columns: vocab_size; text, vocabulary and total, in bits per character.
    """
    numbers = np.unique(np.geomspace(1, model.n_merges + 1, _POINTS).astype(int) - 1).tolist()
    lengths = description_by_merges(model, lines, numbers)
    n_characters = sum(map(len, lines))
    return pd.DataFrame(
        {
            "vocab_size": [model.n_first + number for number in numbers],
            "text": [one.text / n_characters for one in lengths],
            "vocabulary": [one.vocabulary / n_characters for one in lengths],
            "total": [one.total / n_characters for one in lengths],
        }
    )
