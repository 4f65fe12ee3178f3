"""Tables of the stored cost measurement."""

from functools import cache
from typing import Any

import pandas as pd

from app.texts.corpora import LANGUAGES, parallel_texts
from engine.evidence.stored import Evidence, stored
from engine.public.catalogue import PUBLIC_TOKENIZERS

BASE = "en"
SENTENCES, NEWS = "sentences", "news"
MOST_UNKNOWN = 0.01
"""Share of unknown tokens above which a count says nothing: an unknown word is one token, whatever it says."""
OTHERS = tuple(code for code in LANGUAGES if code != BASE)


def evidence() -> Evidence:
    return stored("cost")


def n_sentences(text: str) -> int:
    return int(evidence().figures[text]["n"])


def languages(text: str) -> frozenset[str]:
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


def _with_unknown(text: str, language: str) -> list[str]:
    found = evidence().figures[text]["words"]
    return [name for name, of in found.items() if of[language][3] > MOST_UNKNOWN]


@cache
def family_table(text: str, language: str) -> pd.DataFrame:
    """First and last tokenizer of each family.

    Columns: first, last, value, low, high (change in tokens of the language, in percent), base, base_low, base_high
    (of the base language), dearest (the language that gained least), dearest_value.
    """
    rows = []
    for of in evidence().figures[text]["families"].values():
        change = of["change"]
        dearest = max(change, key=lambda code: change[code][0])
        titles = [_short(PUBLIC_TOKENIZERS[of[one]].title) for one in ("first", "last")]
        rows.append((*titles, *change[language], *change[BASE], dearest, change[dearest][0]))
    columns = ["first", "last", "value", "low", "high", "base", "base_low", "base_high", "dearest", "dearest_value"]
    return pd.DataFrame(rows, columns=columns)


def characters_premium(language: str) -> float:
    """Characters of the built-in sentences over those of the base language."""
    texts = parallel_texts()
    return sum(map(len, texts[language])) / sum(map(len, texts[BASE]))


@cache
def costs_by_language(text: str) -> dict[str, pd.Series]:
    """By title of the tokenizer, tokens in every language of a text, the base first."""
    tables = [premium_table(text, code).set_index("title") for code in OTHERS if code in languages(text)]
    columns = pd.concat([tables[0]["base"], *(table["tokens"] for table in tables)], axis=1)
    return {str(title): row for title, row in columns.iterrows()}


def bytes_premium(text: str, language: str) -> float:
    """UTF-8 bytes of the language over those of the base language."""
    return float(_premium(text)["bytes"][language][1])


def fingerprint(text: str, *codes: str) -> str:
    """SHA-256 of a text's lines in these languages, separated by spaces."""
    return " ".join(evidence().corpus[f"{text}.{code}"] for code in codes)


def korean(text: str) -> dict[str, list[float]]:
    """By reference of a tokenizer that knows the words: tokens of Korean, tokens per sentence, low, high."""
    unknown = {PUBLIC_TOKENIZERS[name].reference for name in _with_unknown(text, "ko")}
    found = evidence().figures[text]["korean"]
    return {reference: values for reference, values in found.items() if reference not in unknown}


def ties(text: str, of: str) -> frozenset[str]:
    """The tokenizers that tie with the lowest for a language; under `korean` by reference."""
    return frozenset(evidence().figures[text]["best"][of])


def _premium(text: str) -> dict[str, Any]:
    return dict(evidence().figures[text]["premium"])


def _short(title: str) -> str:
    """The first of the models that share a tokenizer, without what stands in parentheses."""
    return title.partition(",")[0].partition(" (")[0]
