"""Visitors' texts: each session stores its own, and the server bounds those of all sessions together."""

import weakref
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from app.server.limits import check_size, limits
from app.server.memory import Budget, Entry
from app.texts.corpora import Text, own_text
from engine.corpus.files import CorpusFiles

# A session may store this many times the largest text: two that models need, and another.
_TIMES_LARGEST = 3


class Dropped(NamedTuple):
    """A text that is no longer stored."""

    name: str
    n_bytes: int


class HeldTexts(dict[str, Text]):
    """The texts of one session by id, most recent last.

    Attributes
    ----------
    needed : ids of texts that models were trained on; dropped last.
    dropped : texts dropped for lack of space, until uploaded again.
    """

    def __init__(self, texts: Mapping[str, Text] | None = None) -> None:
        super().__init__(texts or {})
        self.needed: set[str] = set()
        self.dropped: dict[str, Dropped] = {}

    def drop(self, source_id: str) -> None:
        """Remove a text, and remember which one it was."""
        source = self.pop(source_id, None)
        if source is not None:
            self.dropped[source_id] = Dropped(source.name, source.n_bytes)


def checked_text(text: str, name: str = "", files: CorpusFiles | None = None) -> Text:
    """A user's own text, if it is not too long, and the files that it was joined from.

    Raises
    ------
    app.server.limits.LimitError : it is too long.
    """
    check_size("corpus_mb", len(text.encode("utf-8", "surrogatepass")))
    return own_text(text, name, files)


def session_mb() -> int:
    """Limit on the texts of a session together, MB."""
    return _TIMES_LARGEST * limits().corpus_mb


def hold(source: Text, held: HeldTexts) -> None:
    """Store a text in the session; if the limit is exceeded, drop the oldest ones that no model needs."""
    held.pop(source.id, None)  # reinserted as the newest
    held.dropped.pop(source.id, None)
    held[source.id] = source
    excess = sum(each.n_bytes for each in list(held.values())) - session_mb() * 1_000_000
    for each in [each for each in held.values() if each.id not in held.needed | {source.id}]:
        if excess <= 0:
            break
        held.drop(each.id)
        excess -= each.n_bytes


def touch_texts(held: HeldTexts, budget: Budget) -> None:
    """Mark the session's texts as in use. Sizes assume four bytes per character, Python's widest representation."""
    session = weakref.ref(held)
    # Equal texts of two sessions count twice, so the key is the object's identity.
    budget.use(
        {
            (id(held), source.id): Entry(
                4 * len(source.text or ""),
                partial(_drop, session, source.id),
                is_needed=source.id in held.needed,
                lives=partial(_is_held, session, source.id),
            )
            for source in list(held.values())
        }
    )


def _drop(session: "weakref.ref[HeldTexts]", source_id: str) -> None:
    held = session()
    if held is not None:
        held.drop(source_id)


def _is_held(session: "weakref.ref[HeldTexts]", source_id: str) -> bool:
    held = session()
    return held is not None and source_id in held
