"""What a room knows besides what it asks: an object, and its JSON in the library."""

import json
from dataclasses import dataclass

from app.lessons.own_question import OwnQuestion, read_own_question


@dataclass(frozen=True)
class RoomState:
    """What the pages of a room know of it; the names are those of its JSON.

    Parameters
    ----------
    done : the steps whose answers were shown.
    own : the number of the lecturer's own question that is asked, from 1; 0 for none.
    owns : all of the lecturer's own questions.
    roam : whether the phones explore on their own.
    plan, lesson, stage : what the lecturer's page shows.
    revealed : whether the answers to what is asked are shown.
    window : the lecturer's window that made the last change.
    """

    done: tuple[str, ...] = ()
    own: int = 0
    owns: tuple[OwnQuestion, ...] = ()
    roam: bool = False
    plan: str = ""
    lesson: str = ""
    stage: str = ""
    revealed: bool = False
    window: str = ""

    def to_json(self) -> str:
        """What `read_room_state` reads."""
        return json.dumps(vars(self) | {"owns": [own._asdict() for own in self.owns]})


def read_room_state(text: str) -> RoomState:
    """The state that JSON holds; the usual value for what is missing, or was damaged on the disk."""
    try:
        kept = json.loads(text)
    except ValueError:
        kept = None
    if not isinstance(kept, dict):
        return RoomState()
    done, owns = (kept[name] if isinstance(kept.get(name), list) else [] for name in ("done", "owns"))
    others = {name: kept[name] for name, usual in vars(RoomState()).items() if type(kept.get(name)) is type(usual)}
    return RoomState(**others | {"done": tuple(map(str, done)), "owns": tuple(map(read_own_question, owns))})
