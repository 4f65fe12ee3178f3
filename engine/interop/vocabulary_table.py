"""A vocabulary as a table for people and spreadsheets: one row per token with all its statistics."""

from typing import TYPE_CHECKING

import numpy as np

from engine.interop.vocab_file import one_line
from engine.merges.vocabulary import bytes_label
from engine.tokenizer import Tokenizer

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second, unused by most commands

SPACE_MARK = "▁"
_IN_NATS = ("log_prob", "be")


def suits(tokenizer: Tokenizer) -> bool:
    """Every tokenizer. The table is for people: no program has a tokenizer in it."""
    return True


def write(tokenizer: Tokenizer, profile: str) -> bytes:
    """As tab-separated values."""
    from engine.interop.spreadsheet import tsv_bytes

    return tsv_bytes(vocabulary_table(tokenizer))


def reread(tokenizer: Tokenizer, data: bytes) -> tuple[str, int, int]:
    """Whether there is a row a token."""
    n_rows = data.count(b"\n") - 1
    return "row count", n_rows, abs(n_rows - tokenizer.vocab_size)


def vocabulary_table(tokenizer: Tokenizer) -> "pd.DataFrame":
    """One row per token, in order of ids.

    Columns: id, token (its text with plain spaces; a special token's name), marked (as in its file, spaces as U+2581),
    then those of `Tokenizer.statistics`, with `log_prob` and `be` renamed to `log_prob_nats` and `be_nats`; values that
    a token lacks are missing. In a pruned vocabulary `frequency` is the expected number of sentences that contain the
    token: p times the number of sentences. Tabs and line ends in tokens are written as `<0x09>`.
    """
    import pandas as pd

    ids = range(tokenizer.vocab_size)
    labels = [tokenizer.token_label(token_id) for token_id in ids]
    texts = [bytes_label(tokenizer.token_bytes(token_id)) or label for token_id, label in zip(ids, labels, strict=True)]
    columns: dict[str, object] = {
        "id": list(ids),
        "token": [one_line(text) for text in texts],
        "marked": [one_line(label.replace(" ", SPACE_MARK)) for label in labels],
    }
    statistics = dict(tokenizer.statistics())
    if tokenizer.pruning is not None and "frequency" not in statistics:
        statistics["frequency"] = statistics["p"] * tokenizer.pruning.corpus_units
    for name, values in statistics.items():
        known = pd.Series(values).astype("Int64").where(values >= 0) if values.dtype == np.int64 else values
        columns[f"{name}_nats" if name in _IN_NATS else name] = known
    return pd.DataFrame(columns)
