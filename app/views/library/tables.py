"""Runs and texts of the library as tables."""

from collections.abc import Sequence

import pandas as pd

from app.server.store.store import Run, SavedText


def runs_table(runs: Sequence[Run]) -> pd.DataFrame:
    """One row per run: name, tokenizer, corpus, has_text, vocab_size, megabytes, created (UTC)."""
    table = pd.DataFrame(
        {
            "name": [run.name for run in runs],
            "tokenizer": [str(run.settings.get("tokenizer", "")) for run in runs],
            "corpus": [run.corpus_name for run in runs],
            "has_text": [run.corpus_size > 0 for run in runs],
            "vocab_size": [run.settings.get("vocab_size") for run in runs],
            "megabytes": [(run.size + run.corpus_size) / 1e6 for run in runs],
            "created": _times([run.created for run in runs]),
        }
    )
    return table.astype({"vocab_size": "Int64"})


def texts_table(texts: Sequence[SavedText]) -> pd.DataFrame:
    """One row per text: beginning, kilobytes (compressed), created, expires (UTC)."""
    return pd.DataFrame(
        {
            "beginning": [text.beginning for text in texts],
            "kilobytes": [text.size / 1e3 for text in texts],
            "created": _times([text.created for text in texts]),
            "expires": _times([text.expires for text in texts]),
        }
    )


def _times(seconds: Sequence[int]) -> pd.DatetimeIndex:
    """Seconds since 1970 as timestamps; NaT for those of a wrong clock that pandas cannot represent."""
    return pd.to_datetime(list(seconds), unit="s", utc=True, errors="coerce")
