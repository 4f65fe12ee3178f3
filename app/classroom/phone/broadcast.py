"""What a phone is sent about a room: nothing of others' answers before they are revealed, and never their texts."""

import time
from collections.abc import Sequence

from app.classroom.room.posed_question import PosedQuestion, posed_question, read_answers
from app.classroom.store.records import Room, StudentAnswer


def phone_view(room: Room, answers: Sequence[StudentAnswer]) -> dict[str, object]:
    """The view of a room sent to every phone.

    Parameters
    ----------
    answers : to the current question; used only once they are revealed.
    """
    view: dict[str, object] = {
        "version": room.version,
        "code": room.code,
        "lang": room.language,
        "step": room.step,
        "open": room.is_open,
        "roam": _roam(room),
        "plan": room.state.plan,
        "paused": room.state.paused,
    }
    question = posed_question(room)
    if question is None:
        return view
    view |= {"prompt": question.prompt, "question": _as_json(question)}
    if question.given:
        view["given"] = {"head": question.given_head, "items": list(question.given)}
    if room.state.revealed:
        view["result"] = _result(question, answers)
    return view


def seconds_left(room: Room) -> int | None:
    """Seconds until the room closes; None without a time limit."""
    return max(0, room.ends - int(time.time())) if room.ends and room.is_open else None


def _roam(room: Room) -> dict[str, str] | None:
    return {"plan": room.state.plan, "lesson": room.state.lesson} if room.state.roam else None


def _as_json(asked: PosedQuestion) -> dict[str, object]:
    return {"kind": asked.question.kind, **asked.question.shape(asked.named)}


def _result(asked: PosedQuestion, answers: Sequence[StudentAnswer]) -> dict[str, object]:
    """The answers of the class and the solution; of words only their number, since the lecturer shows them."""
    question = asked.question
    said = read_answers(question, answers)
    result: dict[str, object] = {"n": len(said)}
    if question.solution is not None:
        result["right"] = question.write(question.solution)
    return result | question.result(said)
