"""The interface: saving, finding, sharing and removing runs, texts stored under an id, and rooms of a class.

An id is unguessable: whoever has it may open the object, nobody else learns that it exists. An owner is identified by a
secret of their own, of which only a hash is stored. A run is saved completely, model included, or not at all.
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


class Kept(NamedTuple):
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


class Runs(Protocol):
    """Saved models with their training texts."""

    def save(self, run: NewRun, owner: str) -> str:
        """Save a run; returns its id. On return the run is on disk.

        Raises
        ------
        LibraryError : the name is empty or too long, the library or the disk is full; nothing was saved.
        """

    def find(self, run_id: str) -> Run:
        """The run with this id, whoever owns it.

        Raises
        ------
        UnknownIdError : there is none.
        """

    def model(self, run_id: str) -> bytes:
        """Content of the run's model file.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the model is damaged on disk.
        """

    def corpus(self, run_id: str) -> str | None:
        """The run's training text; None if it was not saved.

        Raises
        ------
        UnknownIdError : there is no such run.
        LibraryError : the text is damaged on disk.
        """

    def owned(self, owner: str) -> list[Run]:
        """Runs of one owner, newest first."""

    def all(self) -> list[Run]:
        """Every run, newest first."""

    def owns(self, run_id: str, owner: str) -> bool:
        """Whether the run exists and is the owner's."""

    def rename(self, run_id: str, owner: str, name: str) -> None:
        """Rename a run of the owner's."""

    def delete(self, run_id: str, owner: str) -> None:
        """Remove a run of the owner's; links to it stop working."""

    def remove(self, run_id: str) -> None:
        """Remove anyone's run: for the teacher."""


class StoredTexts(Protocol):
    """Texts too long to be part of a link."""

    def save(self, text: str, owner: str) -> str:
        """Save a text for a link; returns its id. The same text of the same owner keeps its id.

        Raises
        ------
        LibraryError : it is too long, or the library or the disk is full.
        """

    def find(self, text_id: str) -> str:
        """The text with this id.

        Raises
        ------
        UnknownIdError : there is none.
        LibraryError : the text is damaged on disk.
        """

    def owned(self, owner: str) -> list[SavedText]:
        """Texts of one owner, newest first."""

    def delete(self, text_id: str, owner: str) -> None:
        """Remove a text of the owner's; links to it stop working.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """

    def count(self) -> int:
        """Number of stored texts."""


class Rooms(Protocol):
    """Classes with their answers. Of a student only a hash is stored, of a secret that their phone made up."""

    def open(self, owner: str, language: str, state: RoomState, network: str = "") -> Room:
        """Open a room.

        Parameters
        ----------
        network : where it is opened from; stored as a hash until the room is closed.

        Raises
        ------
        RoomLimitError : the owner, the network or the server has the maximum number of rooms open.
        """

    def find(self, room_id: str) -> Room:
        """The room with this id.

        Raises
        ------
        UnknownIdError : there is none; it may have ended.
        """

    def id_of(self, code: str) -> str:
        """The id of the room with this code.

        Raises
        ------
        UnknownIdError : there is none.
        """

    def owns(self, room_id: str, owner: str) -> bool:
        """Whether the room exists and is the owner's."""

    def owned(self, owner: str) -> list[Room]:
        """Rooms of one owner, kept ones included, newest first."""

    def all(self) -> list[RoomUse]:
        """Everyone's rooms, newest first."""

    def change(self, room: Room, owner: str) -> Room:
        """Store language, step, is_open, ends and state of `room`; returns it with its new version.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def visit(self, room_id: str, student: str) -> Visit:
        """A phone's view of the room; a new phone joins.

        Raises
        ------
        JoiningClosedError : it is new, and the room accepts no more phones.
        RemovedError : it has left, or was removed.
        RoomLimitError : the room is full.
        UnknownIdError : there is no such room, or it is kept.
        """

    def answer(self, room_id: str, step: str, student: str, content: str, turn: int = 0) -> Kept:
        """Store an answer in place of the phone's earlier one; returns the stored one.

        Parameters
        ----------
        turn : higher for what the phone sent later; unchanged when it resends.

        Raises
        ------
        ClosedError : another question is asked or the room is closed, and no answer of this phone is stored.
        JoiningClosedError, RemovedError, RoomLimitError, UnknownIdError : as for `visit`.
        """

    def withdraw(self, room_id: str, student: str) -> Room:
        """Remove all answers of a phone, which leaves the room; returns the room.

        Raises
        ------
        UnknownIdError : there is no such room, or it is kept.
        """

    def joined(self, room_id: str) -> list[Joined]:
        """When the phones in the room joined, earliest first."""

    def let_join(self, room_id: str, owner: str, takes_phones: bool) -> None:
        """Set whether new phones may join.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def remove_phones(self, room_id: str, owner: str, first: int, last: int) -> Room:
        """Remove phones that joined between these seconds (inclusive), with all their answers; returns the room.

        Raises
        ------
        UnknownIdError : the room is gone or kept, or not the owner's.
        """

    def own_answer(self, room_id: str, step: str, student: str, turn: int = 0) -> Kept | None:
        """The stored answer of a student to a question; None if there is none."""

    def answers(self, room_id: str, step: str = "") -> list[StudentAnswer]:
        """All answers, or those to one question, in the order they first arrived."""

    def shown(self, room_id: str) -> tuple[Room, list[StudentAnswer]]:
        """The room and the answers to its current question, as of the same moment."""

    def n_answers(self, room_id: str, step: str) -> int:
        """Number of answers to a question."""

    def hide(self, room_id: str, owner: str, number: int, is_hidden: bool = True) -> None:
        """Hide an answer, or show it again."""

    def keep(self, room_id: str, owner: str) -> None:
        """Close the room and store its answers as long as texts are stored. It has no code from then on.

        Raises
        ------
        FullError, OwnerFullError : there is no space for the answers.
        """

    def lecturer_key(self, room_id: str) -> str:
        """A secret of the room that its id does not reveal; empty if there is no such room."""

    def purge(self, grace_seconds: int = 0) -> None:
        """Remove rooms that expired at least `grace_seconds` ago, with all their answers."""

    def remove(self, room_id: str) -> None:
        """Remove anyone's room: for the teacher."""

    def delete(self, room_id: str, owner: str) -> None:
        """Remove a room of the owner's with its answers.

        Raises
        ------
        UnknownIdError : there is none, or it is not the owner's.
        """


class Store(Protocol):
    """All storage. Every failure is a LibraryError."""

    @property
    def set_aside(self) -> str:
        """Path of a damaged store found when opening; empty if there was none."""

    @property
    def salvaged(self) -> Mapping[str, int]:
        """Rows recovered from it into this store: the number of each `run`, `text`, `room` and `answer`."""

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
        """Bytes of models, texts and kept rooms."""

    def remove_all(self) -> None:
        """Remove everyone's data: for the teacher."""
