"""The interface: saving, finding, sharing and removing runs, texts kept under an id, and rooms of a class.

An id is unguessable: whoever has it may open what it names, nobody else learns that it exists. An owner is named by a
secret of their own, of which only a hash is kept. A run is saved with everything, its model included, or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

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


class Runs(Protocol):
    """Saved models with what they were trained on."""

    def save(self, run: NewRun, owner: str) -> str:
        """Save a run; returns its id. When it returns, the run is on the disk.

        Raises
        ------
        LibraryError : the name is empty or too long, the library or the disk is full; nothing was saved.
        """

    def find(self, run_id: str) -> Run:
        """The run of that id, whoever owns it.

        Raises
        ------
        UnknownIdError : there is none.
        """

    def model(self, run_id: str) -> bytes:
        """Content of the run's model file.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the model was damaged on the disk.
        """

    def corpus(self, run_id: str) -> str | None:
        """The text that the run was trained on; None where it was not kept.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the text was damaged on the disk.
        """

    def owned(self, owner: str) -> list[Run]:
        """Runs of one owner, the newest first."""

    def all(self) -> list[Run]:
        """Every run, the newest first."""

    def owns(self, run_id: str, owner: str) -> bool:
        """Whether the run is there and that owner's."""

    def rename(self, run_id: str, owner: str, name: str) -> None:
        """Give a run of the owner's another name."""

    def delete(self, run_id: str, owner: str) -> None:
        """Remove a run of the owner's; its links end."""

    def remove(self, run_id: str) -> None:
        """Remove anybody's run: for the teacher."""


class StoredTexts(Protocol):
    """Texts of links that are too long to be part of one."""

    def save(self, text: str, owner: str) -> str:
        """Keep a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """

    def find(self, text_id: str) -> str:
        """The text of that id.

        Raises
        ------
        UnknownIdError : there is none.
        LibraryError : the text was damaged on the disk.
        """

    def owned(self, owner: str) -> list[SavedText]:
        """Texts of one owner, the newest first."""

    def delete(self, text_id: str, owner: str) -> None:
        """Remove a text of the owner's; its links end.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """

    def count(self) -> int:
        """How many texts are kept."""


class Rooms(Protocol):
    """Classes with their answers. Of a student nothing is kept but a hash of a secret that their phone made up."""

    def open(self, owner: str, language: str, state: RoomState, network: str = "") -> Room:
        """Begin a room.

        Parameters
        ----------
        network : where it is opened from; kept as a hash until the room is closed.

        Raises
        ------
        RoomLimitError : the owner, the network or the server has as many open as it may.
        """

    def find(self, room_id: str) -> Room:
        """The room of that id.

        Raises
        ------
        UnknownIdError : there is none; it may have ended.
        """

    def id_of(self, code: str) -> str:
        """The id of the room with that code.

        Raises
        ------
        UnknownIdError : there is none.
        """

    def owns(self, room_id: str, owner: str) -> bool:
        """Whether the room is there and that owner's."""

    def owned(self, owner: str) -> list[Room]:
        """Rooms of one owner, kept ones too, the newest first."""

    def all(self) -> list[RoomUse]:
        """Everybody's rooms, the newest first."""

    def change(self, room: Room, owner: str) -> Room:
        """Write language, step, is_open, ends and state as `room` says; returns it with its new version.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def visit(self, room_id: str, student: str) -> Visit:
        """What a phone finds; one that was never there joins.

        Raises
        ------
        JoiningClosedError : it was never there, and the room takes no more phones.
        RemovedError : it has left, or was removed.
        RoomLimitError : the room is full.
        UnknownIdError : there is no such room, or it is kept.
        """

    def answer(self, room_id: str, step: str, student: str, content: str, turn: int = 0) -> Kept:
        """Take an answer, in place of the phone's earlier one; returns what is kept.

        Parameters
        ----------
        turn : higher for what a phone sent later; what is sent again has the same one.

        Raises
        ------
        ClosedError : the room asks something else, or takes no more answers, and nothing is kept of this phone.
        JoiningClosedError, RemovedError, RoomLimitError, UnknownIdError : as for `visit`.
        """

    def withdraw(self, room_id: str, student: str) -> Room:
        """Remove all answers of a phone, which leaves the room; returns it.

        Raises
        ------
        UnknownIdError : there is no such room, or it is kept.
        """

    def joined(self, room_id: str) -> list[Joined]:
        """When the phones joined that are in the room, the earliest first."""

    def let_join(self, room_id: str, owner: str, takes_phones: bool) -> None:
        """Whether phones may join that are not in the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def remove_phones(self, room_id: str, owner: str, first: int, last: int) -> Room:
        """Remove phones that joined between these seconds, with all their answers; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def own_answer(self, room_id: str, step: str, student: str, turn: int = 0) -> Kept | None:
        """What is kept of a student's answers to a question; None for nothing."""

    def answers(self, room_id: str, step: str = "") -> list[StudentAnswer]:
        """All answers in the order in which they first came, or those to one question."""

    def shown(self, room_id: str) -> tuple[Room, list[StudentAnswer]]:
        """The room and the answers to what it asks, both as of the same moment."""

    def n_answers(self, room_id: str, step: str) -> int:
        """How many answered a question."""

    def hide(self, room_id: str, owner: str, number: int, is_hidden: bool = True) -> None:
        """Take an answer out of what is shown, or put it back."""

    def keep(self, room_id: str, owner: str) -> None:
        """Close the room and keep its answers as long as texts are kept. It has no code from then on.

        Raises
        ------
        FullError, OwnerFullError : the answers have no place.
        """

    def lecturer_key(self, room_id: str) -> str:
        """A secret that belongs to the room and that its id does not tell; empty where there is no room."""

    def purge(self, grace_seconds: int = 0) -> None:
        """Remove rooms whose time has been over for so long, with all their answers."""

    def remove(self, room_id: str) -> None:
        """Remove anybody's room: for the teacher."""

    def delete(self, room_id: str, owner: str) -> None:
        """Remove a room of the owner's with its answers.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """


class Store(Protocol):
    """Everything that is kept. Whatever fails is a LibraryError."""

    @property
    def set_aside(self) -> str:
        """Where the damaged store lies that was found at the opening; empty where there was none."""

    @property
    def salvaged(self) -> Mapping[str, int]:
        """What could be read of that one and is in this one: how many of each `run`, `text`, `room` and `answer`."""

    @property
    def runs(self) -> Runs:
        """Saved models."""

    @property
    def texts(self) -> StoredTexts:
        """Texts of links."""

    @property
    def rooms(self) -> Rooms:
        """Rooms of classes."""

    def size(self) -> int:
        """Bytes that models, texts and kept rooms take."""

    def remove_all(self) -> None:
        """Remove everything of everybody: for the teacher."""
