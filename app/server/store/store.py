"""What is kept, as records, and what may go wrong: of runs, texts kept under an id, and rooms of a class.

An id is unguessable: whoever has it may open what it names, nobody else learns that it exists. An owner is named by a
secret of their own, of which only a hash is kept. A run is saved with everything, its model included, or not at all.
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
    """The library cannot do what was asked; nothing was changed. The message says why."""


class UnknownIdError(LibraryError):
    """Nothing with that id is there, or it is not the owner's."""


class FullError(LibraryError):
    """The library has reached its limit."""


class OwnerFullError(FullError):
    """The owner's runs and texts have reached the limit of one owner."""


@dataclass(frozen=True)
class NewRun:
    """What is to be saved.

    Parameters
    ----------
    corpus_id : names the corpus in links; corpus_name : what its user calls it, may be empty.
    corpus_fingerprint : SHA-256 of the corpus, hex, as in the model file.
    settings, rounds : of the training, as JSON can hold them.
    model : content of the model file.
    corpus : the text itself; None where its owner does not keep it.
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
    """A run as it is listed."""

    id: str
    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: dict[str, Any]
    rounds: list[dict[str, Any]]
    sha256: str  # of the model file
    size: int  # of the model file, bytes
    created: int  # seconds since 1970, by the clock of the server
    corpus_size: int = 0  # of its text, packed, bytes; 0 where that was not kept


class SavedText(NamedTuple):
    """A text as it is listed; times are seconds since 1970, by the clock of the server."""

    id: str
    beginning: str  # its first characters
    size: int  # packed, bytes
    created: int
    expires: int  # from then on it may be removed; to save it again keeps it longer


class RoomLimitError(LibraryError):
    """A room, or the server, takes no more of what was asked."""


class ClosedError(LibraryError):
    """The question takes no answers: it is over, or another one is asked."""


class JoiningClosedError(LibraryError):
    """The room takes no more phones; those that are in it stay."""


class RemovedError(LibraryError):
    """The phone has left the room or was removed from it."""


class Room(NamedTuple):
    """A class that answers questions together."""

    id: str  # unguessable: whoever has it may answer
    code: str  # of four letters, to be typed; empty for a room that is kept
    language: str  # of what is asked
    step: str  # the question that is asked; every answer belongs to one
    is_open: bool  # whether it takes answers
    ends: int  # when it takes no more, seconds since 1970; 0 for no such time
    state: RoomState
    version: int  # goes up with every change
    expires: int  # seconds since 1970; then the room and its answers are removed
    takes_phones: bool = True  # whether phones may join that are not in it
    is_kept: bool = False  # it is closed, nobody joins, answers or asks; its answers can be read


class RoomUse(NamedTuple):
    """A room as the teacher sees it."""

    id: str
    code: str  # empty for a room that is kept
    phones: int
    answers: int
    expires: int


class Visit(NamedTuple):
    """What a phone finds in its room."""

    room: Room
    own: str | None  # what it answered to what is asked; None for nothing


class Joined(NamedTuple):
    """Phones that joined in the same second, and are still there."""

    second: int  # since 1970
    phones: int
    answering: int  # of these, how many have answered what is asked


class Kept(NamedTuple):
    """What is kept of a phone's answers to a question."""

    content: str
    is_taken: bool  # whether it is the answer that was sent; else it came too late, or a newer one was there


class StudentAnswer(NamedTuple):
    """What a student answered."""

    number: int  # of the answer in its room
    step: str
    student: int  # the number of the student in the room, in the order in which they joined
    content: str
    created: int  # seconds since 1970; of an answer that was changed, when that was
    is_hidden: bool
