"""Every visible string in every language, without Streamlit: figures and tests use this too.

A file `assets/i18n/<topic>.toml` contains the strings of one page or topic; `engine.messages` documents the format.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from engine.errors import InputError
from engine.messages import FOLDER, fill, read_texts

# Code and native name of each language. Missing texts fall back to English; tests/app/test_i18n.py lists them.
LANGUAGES = {"ko": "한국어", "en": "English"}
FALLBACK = "en"

# Visitors' texts are marked as Korean, so that browsers pick Korean glyph shapes.
TEXT_LANGUAGE = "ko"

T = TypeVar("T")


def first_known(accepted: str) -> str:
    """The first of LANGUAGES in a header `Accept-Language`, which lists the preferred ones first; FALLBACK without one.

    >>> first_known("fr-FR, ko;q=0.8, en;q=0.5")
    'ko'
    """
    wanted = (re.split("[;-]", locale)[0].strip() for locale in accepted.lower().split(","))
    return next((one for one in wanted if one in LANGUAGES), FALLBACK)


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    texts: dict[str, Mapping[str, str]] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        texts.update(read_texts(path))
    return texts


def translate(key: str, language: str, **values: Any) -> str:
    """The text of `key` in `language`, with its placeholders filled.

    Raises
    ------
    KeyError : there is no such key or placeholder (a bug; tests/app/test_i18n.py finds it).
    """
    return fill(template(key, language), values)


def template(key: str, language: str) -> str:
    """The text of `key` in `language`, placeholders not yet filled."""
    return in_language(catalogue()[key], language)


def in_language(by_language: Mapping[str, T], language: str) -> T:
    """The entry for a language, or for English if there is none."""
    return by_language[language if language in by_language else FALLBACK]


def error_text(error: InputError, language: str) -> str:
    text = error.text(language)
    return text if language == "ko" else _sentence(text)


def _sentence(message: str) -> str:
    """Capitalise a command line message, which begins in lower case; a leading file name stays as it is."""
    first = message.partition(" ")[0].rstrip(",")
    return message[:1].upper() + message[1:] if first.isalpha() else message
