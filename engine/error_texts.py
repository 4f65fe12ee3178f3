"""Error messages, from `assets/i18n/error.toml`."""

import os
from collections.abc import Mapping
from functools import cache

from engine.messages import FOLDER, fill, read_texts


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return read_texts(FOLDER / "error.toml")


def message(code: str, values: Mapping[str, object], language: str) -> str:
    """Message for `code` in `language` (else English), with its placeholders filled; `what` is the key of a phrase."""
    text = _text(code, language)
    if not text:  # a bug, which tests/app/texts/test_error_texts.py finds
        return " ".join((code, *(f"{name}={value}" for name, value in values.items())))
    if "what" in values:
        values = {**values, "what": _text(f"what.{values['what']}", language) or values["what"]}
    return fill(text, values)


def _text(code: str, language: str) -> str:
    texts = _texts().get(f"error.{code}", {})
    return texts.get(language) or texts.get("en", "")


def locale_language() -> str:
    """Language of the user's locale, for example `ko`, or `c` for the C locale; empty if no locale is set."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "")
    return name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
