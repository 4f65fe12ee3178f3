"""Tokens that a vocabulary holds and its own training text never turns into."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from app.parts.tables.tokens import shown
from engine.tokenizer import Tokenizer


def unused_tokens(tokenizer: Tokenizer, lines: Iterable[str]) -> pd.DataFrame:
    """Tokens with text that occur in no encoding of the lines. Columns: token (as shown), id, n_bytes; longest first.

    A model that is trained on this text never sees them: their embeddings stay as they were initialised.
    """
    times = np.zeros(tokenizer.vocab_size, dtype=np.int64)
    for line in lines:
        np.add.at(times, tokenizer.encode(line).ids, 1)
    ids = [i for i in np.flatnonzero(times == 0).tolist() if tokenizer.token_bytes(i)]
    table = pd.DataFrame(
        {
            "token": [shown(tokenizer.token_label(i)) for i in ids],
            "id": ids,
            "n_bytes": [len(tokenizer.token_bytes(i)) for i in ids],
        }
    )
    return table.sort_values(["n_bytes", "id"], ascending=[False, True], ignore_index=True)
