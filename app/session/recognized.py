"""Find the training text of a model among the available corpora, by the fingerprint in its file."""

from collections.abc import Mapping, MutableMapping
from functools import lru_cache

from app.texts.corpora import Text, builtin_corpus, registers
from app.texts.find import find_text
from app.texts.fingerprint import corpus_fingerprint

_COLLECTIONS = ("ko", "multi", "web", "all")


@lru_cache(maxsize=4)
def _builtin(normalization: str) -> Mapping[str, str]:
    """Ids of the built-in corpora, whole ones and single registers, by fingerprint."""
    sources = [builtin_corpus(collection) for collection in _COLLECTIONS]
    sources += [builtin_corpus(part, (name,)) for part in ("ko", "multi", "web", "toy") for name in registers(part)]
    return {corpus_fingerprint(source, normalization): source.id for source in sources}


def recognize(
    fingerprint: str, normalization: str, named: str, held: Mapping[str, Text], known: MutableMapping[str, str]
) -> Text | None:
    """The corpus with this fingerprint; None if the session has none.

    Parameters
    ----------
    named : id of the corpus stored with the run, or empty; finds mixtures and combinations of registers.
    held : the session's own texts.
    known : cache of text fingerprints by id.
    """
    if not fingerprint:
        return None
    builtin = _builtin(normalization).get(fingerprint)
    if builtin is not None:
        return find_text(builtin, {})
    candidate = find_text(named, {}) if named else None
    for source in (*([candidate] if candidate else []), *held.values()):
        key = f"{source.id} {normalization}"
        if key not in known:
            known[key] = corpus_fingerprint(source, normalization)
        if known[key] == fingerprint:
            return source
    return None
