"""Runs of the library as a table."""

from collections.abc import Sequence

import pandas as pd

from engine.store.store import Run


def runs_table(runs: Sequence[Run]) -> pd.DataFrame:
    """A row for each run: name, tokenizer, corpus, vocab_size, megabytes, created (UTC)."""
    table = pd.DataFrame(
        {
            "name": [run.name for run in runs],
            "tokenizer": [str(run.settings.get("tokenizer", "")) for run in runs],
            "corpus": [run.corpus_name for run in runs],
            "vocab_size": [run.settings.get("vocab_size") for run in runs],
            "megabytes": [run.size / 1e6 for run in runs],
            # What a clock far off says is no time that pandas can hold.
            "created": pd.to_datetime([run.created for run in runs], unit="s", utc=True, errors="coerce"),
        }
    )
    return table.astype({"vocab_size": "Int64"})
