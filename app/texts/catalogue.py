"""Every visible string in every language, without Streamlit: figures and tests use this too.

A file `assets/i18n/<topic>.toml` holds the strings of one page or topic; `engine.messages` says how they are written.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from engine.messages import FOLDER, fill, read_texts

# Code and own name of each language. What a language lacks is shown in English; tests/app/test_i18n.py lists it.
LANGUAGES = {"ko": "한국어", "en": "English"}
FALLBACK = "en"

# The texts that visitors look at are taken for Korean: the browser chooses the shapes of letters by it.
TEXT_LANGUAGE = "ko"

T = TypeVar("T")


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Texts by key and language: `catalogue()["train.start"]["ko"]`."""
    texts: dict[str, Mapping[str, str]] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        texts.update(read_texts(path))
    return texts


def translate(key: str, language: str, **values: Any) -> str:
    """The text of `key` in `language`, its placeholders filled.

    Raises
    ------
    KeyError : there is no such key or placeholder (a mistake of ours: tests/app/test_i18n.py finds it).
    """
    return fill(template(key, language), values)


def template(key: str, language: str) -> str:
    """The text of `key` in `language` with its placeholders left in, for whoever fills them later."""
    return in_language(catalogue()[key], language)


def in_language(by_language: Mapping[str, T], language: str) -> T:
    """The entry of a language, or English's where it has none."""
    return by_language[language if language in by_language else FALLBACK]
