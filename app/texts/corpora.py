"""Where a training corpus comes from: built-in texts, or a text of the user's own.

Built-in texts are files of `assets/corpora/<collection>/<register>.txt`. A user's text is held by the session and by
nothing else: it never enters a cache that sessions share, and it ends with the session.
"""

import hashlib
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from app import ASSETS
from app.server.limits import check_size, limits
from engine.corpus.lines import split_lines
from engine.errors import InputError
from engine.whole_file import read_file

FOLDER = ASSETS / "corpora"

# A session keeps so many texts of its own, the newest ones.
MAX_HELD = 3

_HELD = "text"


@dataclass(frozen=True)
class Source:
    """A corpus that a model can be trained on.

    Parameters
    ----------
    id : `ko` (a whole collection), `ko.news.essay` (some of its registers) or `text.<hash>` (a text of the user's own).
    digest : hash of the content: equal digests are equal corpora.
    paths : the files of a built-in corpus, in the order of their names.
    name : the file name of an uploaded text, else empty.
    text : a text of the user's own; None for a built-in corpus, or where only the name of a text is needed.
    """

    id: str
    digest: str
    paths: tuple[Path, ...] = ()
    name: str = ""
    text: str | None = field(default=None, repr=False)

    @property
    def is_builtin(self) -> bool:
        """Whether a link to it works for everybody."""
        return self.collection != _HELD

    @property
    def collection(self) -> str:
        """`ko`, `toy`, ... or `text`."""
        return self.id.partition(".")[0]

    def read(self) -> str:
        """The whole text, files joined, every file's last line ended."""
        if self.text is not None:
            return self.text
        return "".join(_ended(read_file(path).decode("utf-8")) for path in self.paths)

    def lines(self) -> list[str]:
        """Lines of the text."""
        return split_lines(self.read())

    @cached_property
    def n_chars(self) -> int:
        """Characters (code points), line ends included."""
        return len(self.read())

    @cached_property
    def n_lines(self) -> int:
        """Lines that are not empty."""
        return sum(1 for line in self.lines() if line)

    @cached_property
    def n_words(self) -> int:
        """White-space separated words."""
        return len(self.read().split())


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


# Everything that is written for training, as one corpus: all languages, numbers, code and chat.
ALL = "all"
_IN_ALL = ("ko", "multi", "web")


@cache
def registers(collection: str) -> Mapping[str, Path]:
    """Files of a built-in collection by register, sorted by name."""
    if collection == ALL:
        return {f"{part}-{name}": path for part in _IN_ALL for name, path in registers(part).items()}
    # The name may come out of a link: it is compared with the folders, never made into a path.
    found = [folder for folder in FOLDER.iterdir() if folder.name == collection]
    return {path.stem: path for folder in found for path in sorted(folder.glob("*.txt"))}


@cache
def _builtin(collection: str, names: tuple[str, ...]) -> Source:
    available = registers(collection)
    paths = tuple(available[name] for name in names)
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() + b"\0")
    whole = len(names) == len(available)
    return Source(collection if whole else ".".join((collection, *names)), digest.hexdigest()[:24], paths)


def builtin_source(collection: str = "ko", names: tuple[str, ...] = ()) -> Source:
    """A built-in corpus; without names, the whole collection.

    Raises
    ------
    InputError : there is no such collection or register, as in a link that was typed by hand.
    """
    available = registers(collection)
    chosen = tuple(sorted(set(names))) or tuple(available)
    unknown = [name for name in chosen if name not in available]
    if not available or unknown:
        raise InputError(
            "there is no built-in corpus {name!r}; choose one from the list",
            code="corpus.unknown",
            name=".".join((collection, *unknown)),
        )
    return _builtin(collection, chosen)


def text_source(text: str, name: str = "") -> Source:
    """A corpus of the user's own text.

    Raises
    ------
    app.server.limits.LimitError : it is too long.
    """
    data = text.encode("utf-8", "surrogatepass")
    check_size("corpus_mb", len(data))
    digest = hashlib.sha256(data).hexdigest()[:24]
    return Source(f"{_HELD}.{digest}", digest, name=name, text=text)


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


def find_source(source_id: str, held: Mapping[str, Source]) -> Source | None:
    """The source of that id; None where it was a text that this session does not hold."""
    if source_id in held:
        return held[source_id]
    collection, *names = source_id.split(".")
    if collection == _HELD:
        return None
    # A mixture is made of these corpora, so its module stands above this one.
    from app.texts.mixture import MIX, mixture_source

    try:
        return mixture_source(source_id) if collection == MIX else builtin_source(collection, tuple(names))
    except InputError:
        return None


def held_digest(source_id: str) -> str:
    """Digest of a user's text, which is part of its id; empty for other ids."""
    collection, _, rest = source_id.partition(".")
    return rest if collection == _HELD else ""
