"""What is kept, as records, and what may go wrong: of runs, texts kept under an id, and rooms of a class.

An id is unguessable: whoever has it may open the object, nobody else learns that it exists. An owner is identified by a
secret of their own, of which only a hash is stored. A run is saved completely, model included, or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.server.store.room_state import RoomState
from engine.errors import InputError

MAX_NAME = 120
MAX_TEXT_BYTES = 2_000_000
MAX_ANSWER = 400  # characters


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


class RoomLimitError(LibraryError):
    """A limit of the room or of the server is reached."""


class ClosedError(LibraryError):
    """The question accepts no answers: it is over, or another one is asked."""


class JoiningClosedError(LibraryError):
    """The room accepts no more phones; those in it stay."""


class RemovedError(LibraryError):
    """The phone has left the room or was removed from it."""


class Room(NamedTuple):
    """A class that answers questions together."""

    id: str  # unguessable: whoever has it may answer
    code: str  # four letters to type; empty for a room that is kept
    language: str  # of the questions
    step: str  # the current question; every answer belongs to one
    is_open: bool  # whether it accepts answers
    ends: int  # when it stops accepting them, seconds since 1970; 0 for no time limit
    state: RoomState
    version: int  # increases with every change
    expires: int  # seconds since 1970; then the room and its answers are removed
    takes_phones: bool = True  # whether new phones may join
    is_kept: bool = False  # closed: nobody joins, answers or asks, but its answers can be read


class RoomUse(NamedTuple):
    """A room as the teacher sees it in a list."""

    id: str
    code: str  # empty for a room that is kept
    phones: int
    answers: int
    expires: int


class Visit(NamedTuple):
    """A phone's view of its room."""

    room: Room
    own: str | None  # its answer to the current question; None for none


class Joined(NamedTuple):
    """Phones that joined in the same second and are still in the room."""

    second: int  # since 1970
    phones: int
    answering: int  # those of them that have answered the current question


class StoredAnswer(NamedTuple):
    """The stored answer of a phone to a question."""

    content: str
    is_taken: bool  # whether it is the answer just sent; else that came too late, or a newer one was stored


class StudentAnswer(NamedTuple):
    """A student's answer."""

    number: int  # of the answer in its room
    step: str
    student: int  # number of the student in the room, in order of joining
    content: str
    created: int  # seconds since 1970; time of the last change
    is_hidden: bool
