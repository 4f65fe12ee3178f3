"""What is kept, as records, and what may go wrong: of runs, and of texts kept under an id.

An id is unguessable: whoever has it may open the object, nobody else learns that it exists. An owner is identified by a
secret of their own, of which only a hash is stored. A run is saved completely, model included, or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.errors import InputError

MAX_NAME = 120
MAX_TEXT_BYTES = 2_000_000


class LibraryError(InputError):
    """The library cannot do this; nothing was changed. The message says why."""


class UnknownIdError(LibraryError):
    """There is no such id, or it is not the owner's."""


class FullError(LibraryError):
    """The library has reached its limit."""


class OwnerFullError(FullError):
    """The owner's runs and texts have reached the limit of one owner."""


@dataclass(frozen=True)
class NewRun:
    """A run to save.

    Parameters
    ----------
    corpus_id : the corpus id in links; corpus_name : its name for people, may be empty.
    corpus_fingerprint : SHA-256 of the corpus, hex, as in the model file.
    settings, rounds : of the training, as JSON values.
    model : content of the model file.
    corpus : the text itself; None if its owner does not keep it.
    """

    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: Mapping[str, Any]
    rounds: Sequence[Mapping[str, Any]]
    model: bytes
    corpus: str | None = None


class Run(NamedTuple):
    """A run in a list."""

    id: str
    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: dict[str, Any]
    rounds: list[dict[str, Any]]
    sha256: str  # of the model file
    size: int  # of the model file, bytes
    created: int  # seconds since 1970, by the server's clock
    corpus_size: int = 0  # compressed size of its text, bytes; 0 if the text was not saved


class SavedText(NamedTuple):
    """A text in a list; times are seconds since 1970, by the server's clock."""

    id: str
    beginning: str  # its first characters
    size: int  # compressed, bytes
    created: int
    expires: int  # may be removed from then on; saving again extends the date
