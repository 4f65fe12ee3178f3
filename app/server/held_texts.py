"""The texts that visitors bring: each session holds its own, and the server bounds those of all sessions together."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import MutableMapping
from functools import cache

from app.server.limits import check_size, limits
from app.texts.corpora import Source, own_source

# A session keeps so many texts of its own, the newest ones.
MAX_HELD = 3


def text_source(text: str, name: str = "") -> Source:
    """A text of the user's own, if it is not too long.

    Raises
    ------
    app.server.limits.LimitError : it is too long.
    """
    check_size("corpus_mb", len(text.encode("utf-8", "surrogatepass")))
    return own_source(text, name)


def hold(source: Source, held: MutableMapping[str, Source]) -> None:
    """Keep a source in the session's own mapping; the oldest goes when there are too many."""
    held.pop(source.id, None)
    held[source.id] = source
    while len(held) > MAX_HELD:
        del held[next(iter(held))]


class HeldTexts(dict[str, Source]):
    """The texts of one session, which weak references can name. All sessions together are bounded by a TextBudget."""


class TextBudget:
    """Bounds the texts of all sessions; those that nobody looked at for longest go first.

    Parameters
    ----------
    max_bytes : for all texts together, counted with four bytes a character, as Python keeps the longest ones.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        # By session and text. Equal dictionaries may be different sessions, so it is the object's identity.
        self._texts: OrderedDict[tuple[int, str], tuple[weakref.ref[HeldTexts], int]] = OrderedDict()
        self._lock = threading.Lock()

    def touch(self, held: HeldTexts) -> None:
        """The session of these texts is in use."""
        with self._lock:
            self._forget_the_gone()
            for source_id, source in held.items():
                self._texts[id(held), source_id] = weakref.ref(held), 4 * len(source.text or "")
                self._texts.move_to_end((id(held), source_id))
            total = sum(size for _, size in self._texts.values())
            for key, (session, size) in list(self._texts.items()):
                texts = session()
                if total <= self._max_bytes or texts is held:
                    break
                if texts is not None:
                    texts.pop(key[1], None)
                del self._texts[key]
                total -= size

    def _forget_the_gone(self) -> None:
        for key, (session, _) in list(self._texts.items()):
            texts = session()
            if texts is None or key[1] not in texts:
                del self._texts[key]


@cache
def text_budget() -> TextBudget:
    """The budget of this server."""
    return TextBudget(limits().memory_mb * 1_000_000)
