"""The texts of errors, from `assets/i18n/error.toml`."""

import os
from collections.abc import Mapping
from functools import cache

from engine.messages import FOLDER, fill, read_texts


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return read_texts(FOLDER / "error.toml")


def message(code: str, values: Mapping[str, object], language: str) -> str:
    """The text of a code in a language, or in English, its placeholders filled; `what` is the code of a phrase."""
    text = _text(code, language)
    if not text:  # a mistake of ours: tests/app/texts/test_error_texts.py finds it
        return " ".join((code, *(f"{name}={value}" for name, value in values.items())))
    if "what" in values:
        values = {**values, "what": _text(f"what.{values['what']}", language) or values["what"]}
    return fill(text, values)


def _text(code: str, language: str) -> str:
    texts = _texts().get(f"error.{code}", {})
    return texts.get(language) or texts.get("en", "")


def locale_language() -> str:
    """Language of the locale that messages are to be in, `ko` say; empty where none is named (C, POSIX)."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "")
    return name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
