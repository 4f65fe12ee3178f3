"""Tables of the stored cost measurement."""

from functools import cache
from typing import Any

import pandas as pd

from app.texts.measured import LANGUAGES, parallel_texts
from engine.evidence.stored import Evidence, stored
from engine.measure.parallel import gini, max_min_ratio
from engine.public.catalogue import PUBLIC_TOKENIZERS

BASE = "en"
SENTENCES, NEWS = "sentences", "news"
OTHERS = tuple(code for code in LANGUAGES if code != BASE)


def evidence() -> Evidence:
    """The stored measurement."""
    return stored("cost")


def n_sentences(text: str) -> int:
    """Number of sentences of a text."""
    return int(evidence().figures[text]["n"])


def languages(text: str) -> frozenset[str]:
    """Languages of a text."""
    return frozenset(_premium(text)["bytes"])


@cache
def premium_table(text: str, language: str) -> pd.DataFrame:
    """Public tokenizers by family and year.

    Columns: name, title, family, year, base (tokens of the base language), tokens, value, low, high, best (whether it
    ties with the lowest).
    """
    found, best = _premium(text), ties(text, language)
    rows = [
        (
            name,
            _short(facts.title),
            facts.family,
            facts.year,
            found[name][BASE][0],
            *found[name][language],
            name in best,
        )
        for name, facts in PUBLIC_TOKENIZERS.items()
        if name in found
    ]
    columns = ["name", "title", "family", "year", "base", "tokens", "value", "low", "high", "best"]
    return pd.DataFrame(rows, columns=columns)


def characters_premium(language: str) -> float:
    """Characters of the built-in sentences over those of the base language."""
    texts = parallel_texts()
    return sum(map(len, texts[language])) / sum(map(len, texts[BASE]))


@cache
def equity_table(text: str) -> pd.DataFrame:
    """How differently the tokenizers treat the languages of a text. Columns: title, max_min, gini, n (languages)."""
    codes = [code for code in OTHERS if code in languages(text)]
    tables = [premium_table(text, code) for code in codes]
    rows = []
    for row, title in enumerate(tables[0]["title"]):
        costs = pd.Series([tables[0]["base"][row], *(table["tokens"][row] for table in tables)])
        rows.append((title, max_min_ratio(costs), gini(costs), len(costs)))
    return pd.DataFrame(rows, columns=["title", "max_min", "gini", "n"])


def bytes_premium(text: str, language: str) -> float:
    """UTF-8 bytes of the language over those of the base language."""
    return float(_premium(text)["bytes"][language][1])


def fingerprint(text: str, *codes: str) -> str:
    """SHA-256 of a text's lines in these languages, separated by spaces."""
    return " ".join(evidence().corpus[f"{text}.{code}"] for code in codes)


def korean(text: str) -> dict[str, list[float]]:
    """By reference of a tokenizer: tokens of the Korean sentences, tokens per sentence, low, high."""
    return dict(evidence().figures[text]["korean"])


def ties(text: str, of: str) -> frozenset[str]:
    """The tokenizers that tie with the lowest for a language; under `korean` by reference."""
    return frozenset(evidence().figures[text]["best"][of])


def _premium(text: str) -> dict[str, Any]:
    return dict(evidence().figures[text]["premium"])


def _short(title: str) -> str:
    """The first of the models that share a tokenizer, without what stands in parentheses."""
    return title.partition(",")[0].partition(" (")[0]
