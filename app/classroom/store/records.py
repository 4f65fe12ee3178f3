"""Rooms of a class, their phones and answers, as records, and what may go wrong with them."""

import json
from dataclasses import dataclass
from typing import NamedTuple

from app.classroom.own_question import OwnQuestion, read_own_question
from app.server.store.store import LibraryError


@dataclass(frozen=True)
class RoomState:
    """The state of a room as its pages see it; the names are those of its JSON.

    Parameters
    ----------
    done : steps whose answers were revealed.
    own : number of the lecturer's current own question, from 1; 0 for none.
    owns : all of the lecturer's own questions.
    roam : whether phones are in free exploration.
    paused : whether phones show no question.
    attendance : whether phones show a code of their own, and the report lists these codes.
    plan, lesson, stage : what the lecturer's page shows.
    revealed : whether the answers to the current question are revealed.
    window : the lecturer's window that made the last change.
    """

    done: tuple[str, ...] = ()
    own: int = 0
    owns: tuple[OwnQuestion, ...] = ()
    roam: bool = False
    paused: bool = False
    attendance: bool = False
    plan: str = ""
    lesson: str = ""
    stage: str = ""
    revealed: bool = False
    window: str = ""

    def to_json(self) -> str:
        return json.dumps(vars(self) | {"owns": [own._asdict() for own in self.owns]})


def read_room_state(text: str) -> RoomState:
    """The state in JSON; defaults for fields that are missing or damaged."""
    try:
        kept = json.loads(text)
    except ValueError:
        kept = None
    if not isinstance(kept, dict):
        return RoomState()
    done, owns = (kept[name] if isinstance(kept.get(name), list) else [] for name in ("done", "owns"))
    others = {name: kept[name] for name, usual in vars(RoomState()).items() if type(kept.get(name)) is type(usual)}
    return RoomState(**others | {"done": tuple(map(str, done)), "owns": tuple(map(read_own_question, owns))})


MAX_ANSWER = 400  # characters


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
