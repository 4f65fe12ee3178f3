"""The texts that visitors bring: each session holds its own, and the server bounds those of all sessions together."""

import weakref
from collections.abc import Mapping
from functools import partial

from cachetools import FIFOCache

from app.server.limits import check_size
from app.server.memory import Budget, Entry
from app.texts.corpora import Text, own_text

# A session keeps so many texts of its own, the newest ones.
MAX_HELD = 3


def checked_text(text: str, name: str = "") -> Text:
    """A text of the user's own, if it is not too long.

    Raises
    ------
    app.server.limits.LimitError : it is too long.
    """
    check_size("corpus_mb", len(text.encode("utf-8", "surrogatepass")))
    return own_text(text, name)


def hold(source: Text, held: "HeldTexts") -> None:
    """Keep a source in the session's own texts; the oldest goes when there are too many."""
    held.pop(source.id, None)  # it is the newest from now on
    held[source.id] = source


class HeldTexts(FIFOCache[str, Text]):
    """The texts of one session, the newest ones. The server bounds those of all sessions together."""

    def __init__(self, texts: Mapping[str, Text] | None = None) -> None:
        super().__init__(MAX_HELD)
        self.update(texts or {})


def touch_texts(held: HeldTexts, budget: Budget) -> None:
    """The session of these texts is in use. A text counts four bytes a character, as Python keeps the longest ones."""
    session = weakref.ref(held)
    # Equal texts of two sessions count twice: by the object's identity, since equal dictionaries may be two sessions.
    budget.use({
        (id(held), source.id): Entry(
            4 * len(source.text or ""), partial(_drop, session, source.id), lives=partial(_is_held, session, source.id)
        )
        for source in held.values()
    })  # fmt: skip


def _drop(session: "weakref.ref[HeldTexts]", source_id: str) -> None:
    held = session()
    if held is not None:
        held.pop(source_id, None)


def _is_held(session: "weakref.ref[HeldTexts]", source_id: str) -> bool:
    held = session()
    return held is not None and source_id in held
