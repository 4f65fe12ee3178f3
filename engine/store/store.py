"""The interface: saving, finding, sharing and removing runs, and texts behind an id.

An id is unguessable: whoever has it may open what it names, nobody else learns that it exists. An owner is named by a
secret of their own, of which only a hash is kept. A run is saved with everything, its model included, or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from engine.errors import InputError

MAX_NAME = 120
MAX_TEXT_BYTES = 2_000_000


class LibraryError(InputError):
    """The library cannot do what was asked; nothing was changed. The message says why."""


class UnknownIdError(LibraryError):
    """Nothing with that id is there, or it is not the owner's."""


class FullError(LibraryError):
    """The library has reached its limit.

    Parameters
    ----------
    max_bytes : the limit.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"the library holds {max_bytes / 1e6:,.0f} MB, which is its limit; delete runs to make room")
        self.max_bytes = max_bytes


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
    """

    name: str
    corpus_id: str
    corpus_name: str
    corpus_fingerprint: str
    settings: Mapping[str, Any]
    rounds: Sequence[Mapping[str, Any]]
    model: bytes


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


class SavedText(NamedTuple):
    """A text as it is listed; times are seconds since 1970, by the clock of the server."""

    id: str
    beginning: str  # its first characters
    size: int  # packed, bytes
    created: int
    expires: int  # from then on it may be removed; to save it again keeps it longer


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


class Texts(Protocol):
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


class Store(Protocol):
    """Everything that is kept. Whatever fails is a LibraryError."""

    @property
    def set_aside(self) -> str:
        """Where the damaged store lies that was found at the opening; empty where there was none."""

    @property
    def runs(self) -> Runs:
        """Saved models."""

    @property
    def texts(self) -> Texts:
        """Texts of links."""

    def size(self) -> int:
        """Bytes that models and texts take."""

    def remove_all(self) -> None:
        """Remove everything of everybody: for the teacher."""
