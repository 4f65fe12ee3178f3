"""Texts of any collection, by id."""

from collections.abc import Mapping

from app.texts.corpora import Text, builtin_corpus
from app.texts.mixture import MIX, mixture_text
from engine.errors import InputError


def find_text(source_id: str, held: Mapping[str, Text]) -> Text | None:
    """The text with this id; None if it does not exist or is not stored in this session (`held`)."""
    if source_id in held:
        return held[source_id]
    collection, *names = source_id.split(".")
    try:
        return mixture_text(source_id) if collection == MIX else builtin_corpus(collection, tuple(names))
    except InputError:
        return None
