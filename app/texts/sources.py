"""Texts by their ids, whatever collection they are of."""

from collections.abc import Mapping

from app.texts.corpora import Source, builtin_source
from app.texts.mixture import MIX, mixture_source
from engine.errors import InputError


def find_source(source_id: str, held: Mapping[str, Source]) -> Source | None:
    """The text of that id; None where it was one that this session does not hold, or there is none."""
    if source_id in held:
        return held[source_id]
    collection, *names = source_id.split(".")
    try:
        return mixture_source(source_id) if collection == MIX else builtin_source(collection, tuple(names))
    except InputError:
        return None
