"""A mixture of languages and its vocabulary: which language uses which part, and tokens per sentence."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from engine.measure.encoded import encode_lines
from engine.tokenizer import Tokenizer

SHARES = ("own", "sampled", "vocabulary")


def token_counts(model: Tokenizer, texts: Sequence[Sequence[str]]) -> np.ndarray:
    """How often each text uses each token, (texts, vocabulary)."""
    return np.stack([encode_lines(model, lines).counts() for lines in texts])


def owned_shares(counts: np.ndarray) -> list[float]:
    """The share of used tokens that each row of `counts` uses most, relative to its total."""
    frequency = counts / counts.sum(axis=1, keepdims=True)
    owner = np.where(counts.sum(axis=0) > 0, frequency.argmax(axis=0), -1)
    used = max(1, int((owner >= 0).sum()))
    return [float((owner == k).sum()) / used for k in range(len(counts))]


def use_table(codes: Sequence[str], counts: np.ndarray, n_lines: int) -> pd.DataFrame:
    """Columns: language, tokens (per line), vocabulary (the share that the language owns)."""
    return pd.DataFrame({"language": codes, "tokens": counts.sum(axis=1) / n_lines, "vocabulary": owned_shares(counts)})


def mixture_table(
    used: pd.DataFrame, names: Mapping[str, str], sizes: Mapping[str, int], sampled: Mapping[str, float]
) -> pd.DataFrame:
    """A `use_table` with the additional columns name, characters, own (share of all text) and sampled."""
    codes = used["language"]
    total = sum(sizes[code] for code in codes)
    return used.assign(
        name=[names[code] for code in codes],
        characters=[sizes[code] for code in codes],
        own=[sizes[code] / total for code in codes],
        sampled=[sampled[code] for code in codes],
    )


def share_bars(table: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """SHARES of a `mixture_table` in long form. Columns: name, kind (of `titles`), share."""
    bars = table.melt("name", SHARES, "kind", "share")
    return bars.assign(kind=bars["kind"].map(dict(titles)))


def joined_table(tokens: Sequence[pd.Series], names: Mapping[str, str]) -> pd.DataFrame:
    """The cost of each language from the point where it joined.

    Columns: language, name, languages (their number), tokens (per line), change (in percent since it joined).

    Parameters
    ----------
    tokens : for 1, 2, ... languages, tokens per line of each of them.
    """
    first: dict[str, float] = {}
    rows = []
    for n, of_languages in enumerate(tokens, start=1):
        for code, value in of_languages.items():
            before = first.setdefault(str(code), value)
            rows.append((code, names[str(code)], n, value, 100 * (value / before - 1)))
    return pd.DataFrame(rows, columns=["language", "name", "languages", "tokens", "change"])


def shared_table(uses: pd.DataFrame) -> pd.DataFrame:
    """The percentage of the tokens used in one language (row) that another (column) uses too.

    `uses` has one column per language and one row per token.
    """
    used = (uses > 0).astype(int)
    return 100 * used.T.dot(used).div(used.sum(), axis=0)
