"""What an error says in another language than English, whose sentence is the error's own message.

The translations stand in `assets/i18n/error.toml` under the error's code, `error.pattern.invalid` say, and quote the
same values; phrases of ours among these stand under `error.what`.
"""

import os
from collections.abc import Mapping
from functools import cache

from engine.errors import InputError
from engine.messages import FOLDER, fill, read_texts


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    return read_texts(FOLDER / "error.toml")


def translated(error: InputError, language: str) -> str | None:
    """The sentence for an error in a language; None where it has none. User text in it is not escaped."""
    texts = _texts().get(f"error.{error.code}", {})
    if language not in texts:
        return None
    return fill(texts[language], {name: _value(name, value, language) for name, value in error.values.items()})


def _value(name: str, value: object, language: str) -> object:
    if isinstance(value, InputError):
        return translated(value, language) or str(value)
    if name == "what":
        return _texts().get(f"error.what.{value}", {}).get(language, value)
    return value


def locale_language() -> str:
    """Language of the locale that messages are to be in, `ko` say; empty where none is named (C, POSIX)."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "")
    return name.partition(".")[0].partition("@")[0].partition("_")[0].lower()
