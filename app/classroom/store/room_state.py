"""The state of a room apart from its question: an object, and its JSON in the library."""

import json
from dataclasses import dataclass

from app.classroom.own_question import OwnQuestion, read_own_question


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
