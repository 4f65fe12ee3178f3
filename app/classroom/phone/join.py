"""Routes of a room for phones: a small page and its requests. No Streamlit, no account, no name.

`/join?room=ID` is the page; `/join/find` turns a code into an id, `/join/state` waits for a change, `/join/answer`
accepts an answer, `/join/withdraw` removes all answers of a phone. A phone is identified by a secret it made up.
"""

import asyncio
import html
import json
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path

from cachetools import FIFOCache
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app import ROOT
from app.classroom.phone.guesses import GUESSES
from app.classroom.room.live import LIVE
from app.classroom.room.posed_question import PosedQuestion, posed_question, read_answers
from app.classroom.store.records import (
    MAX_ANSWER,
    ClosedError,
    JoiningClosedError,
    RemovedError,
    Room,
    RoomLimitError,
    StoredAnswer,
    StudentAnswer,
)
from app.classroom.store.rooms import rooms_of
from app.server.library import library
from app.server.request import request_language
from app.server.store.store import UnknownIdError
from app.server.visitors import network
from app.server.work.threads import BusyError, Threads
from app.texts.catalogue import LANGUAGES, catalogue, error_text, template, translate
from engine.errors import InputError


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
        "roam": {"plan": room.state.plan, "lesson": room.state.lesson} if room.state.roam else None,
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


JOIN = "join"
_HERE = Path(__file__).resolve().parent
_MAX_BODY = 4 * MAX_ANSWER + 400  # bytes: an answer in UTF-8, and the JSON around it
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,64}")
_ID = re.compile(r"[A-Za-z0-9_-]{8,40}")
# Also how long the server's shutdown may take: it waits for pending requests.
_WAIT_SECONDS = 8.0
_WRONG_SECONDS = 1.0
# A phone that got no place to wait asks again after this time.
_PAUSE_SECONDS = 5
_MAX_TURN = 2**53
_threads = Threads(at_a_time=6, waiting=2000)
_LABELS = "room.phone."
_STATUS = {UnknownIdError: 404, ClosedError: 409, RoomLimitError: 429, RemovedError: 410, JoiningClosedError: 403}


class _Refused(Exception):
    """The request is malformed, or one too many."""

    def __init__(self, status: int, sentence: str = "malformed") -> None:
        self.status, self.sentence = status, sentence


def join_routes(base: str) -> list[BaseRoute]:
    """The routes, below the prefix `base`."""
    return [
        Route(f"{base}/{JOIN}", join_page),
        Route(f"{base}/{JOIN}.js", _script),
        Route(f"{base}/{JOIN}/find", _answering(_find), methods=["POST"]),
        Route(f"{base}/{JOIN}/state", _answering(_state)),
        Route(f"{base}/{JOIN}/answer", _answering(_answer), methods=["POST"]),
        Route(f"{base}/{JOIN}/withdraw", _answering(_withdraw), methods=["POST"]),
    ]


def join_page(request: Request) -> Response:
    return HTMLResponse(_page(request_language(request)), headers={"Cache-Control": "no-cache"})


@cache
def _page(language: str) -> str:
    names = [key.removeprefix(_LABELS) for key in catalogue() if key.startswith(_LABELS)]
    said = {name: template(f"room.phone.{name}", language) for name in names}
    # Escaped, so that no text can close the script element.
    shown = json.dumps(said, ensure_ascii=False).replace("<", "\\u003c")
    title = translate("frame.title", language)
    style = (_HERE / "phone.css").read_text(encoding="utf-8")
    others = {code: name for code, name in LANGUAGES.items() if code != language}
    ways = " ".join(f'<a lang="{code}" href="?lang={code}">{name}</a>' for code, name in others.items())
    return (
        f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><title>{html.escape(title)}</title><style>{style}</style>'
        f'<nav>{ways}</nav><main></main><script type="application/json" id="labels">{shown}</script>'
        f'<script src="{JOIN}.js" defer></script></html>'
    )


def _script(request: Request) -> Response:
    return Response(_read_script(), media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@cache
def _read_script() -> str:
    """The script, after the one that makes elements for the components too."""
    scripts = (ROOT / "app" / "components" / "scripts" / "dom.js", _HERE / "phone.js")
    return "".join(script.read_text(encoding="utf-8") for script in scripts)


def _answering(endpoint: Callable[[Request], Awaitable[object]]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose errors are sentences in the phone's language."""

    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await endpoint(request), headers={"Cache-Control": "no-store"})
        except _Refused as refused:
            sentence = translate(f"room.phone.{refused.sentence}", request_language(request))
            return JSONResponse({"error": sentence}, refused.status)
        except BusyError as busy:
            sentence = translate("room.phone.busy", request_language(request))
            return JSONResponse({"error": sentence}, busy.status_code, busy.headers)
        except InputError as error:
            status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 503)
            return JSONResponse({"error": error_text(error, request_language(request)), "code": error.code}, status)

    return answer


async def _find(request: Request) -> dict[str, str]:
    """The id of the room with a code. Wrong codes are answered late."""
    code = (await _body(request)).get("code")
    if not isinstance(code, str):
        raise _Refused(400)
    code = "".join(code.split())[:8].upper()
    who = network(request.client.host if request.client else "")
    if not await GUESSES.turn(who, code):
        raise _Refused(429, "too_many")
    try:
        room = await _threads.run(request, lambda: rooms_of(library()).id_of(code))
    except UnknownIdError:
        await asyncio.sleep(_WRONG_SECONDS)
        raise
    GUESSES.was_right(who, code)
    return {"room": room}


async def _state(request: Request) -> dict[str, object]:
    """The room's view, once its version differs from the one the phone knows, and the phone's own answer."""
    room_id, student = _names(request.query_params.get("room"), request.headers.get("x-student"))
    version = request.query_params.get("after", "")
    has_waited = True
    if version.isascii() and version.isdecimal() and version != "0":
        has_waited = await LIVE.wait(room_id, student, int(version[:9]), _WAIT_SECONDS)
    view = await _threads.run(request, lambda: _view_of(room_id, student))
    return view if has_waited else {**view, "pause": _PAUSE_SECONDS}


async def _answer(request: Request) -> dict[str, object]:
    """Accept an answer, and return the one stored: if it came too late, the phone's earlier one."""
    body = await _body(request)
    room_id, student = _names(body.get("room"), body.get("student"))
    step, content, turn = body.get("step"), body.get("answer"), body.get("turn", 0)
    if not isinstance(step, str) or not isinstance(content, str) or not step.isascii() or len(step) > 40:
        raise _Refused(400)
    if type(turn) is not int or not 0 <= turn < _MAX_TURN:
        raise _Refused(400)
    kept = await _threads.run(request, lambda: _store_answer(room_id, student, step, content, turn))
    return {"kept": kept.content, "taken": kept.is_taken}


def _store_answer(room_id: str, student: str, step: str, content: str, turn: int) -> StoredAnswer:
    rooms = rooms_of(library())
    found = posed_question(rooms.find(room_id))
    question = found.question if found else None
    answer = question.read(content) if question else None
    # A phone may be one question behind: then only its earlier answer can be returned.
    if question is None or answer is None or not question.is_complete(answer):
        kept = rooms.own_answer(room_id, step, student, turn)
        if kept is None:
            raise ClosedError("room.closed")
        return kept
    return rooms.answer(room_id, step, student, question.write(answer), turn)


async def _withdraw(request: Request) -> dict[str, object]:
    """Remove all answers of the phone, and the phone from the room."""
    body = await _body(request)
    room_id, student = _names(body.get("room"), body.get("student"))
    LIVE.changed(await _threads.run(request, lambda: rooms_of(library()).withdraw(room_id, student)))
    return {}


# The view of each version, the same for all phones; only its seconds change.
_views: FIFOCache[tuple[str, int], dict[str, object]] = FIFOCache(100)


def _view_of(room_id: str, student: str) -> dict[str, object]:
    rooms = rooms_of(library())
    room, mine = rooms.visit(room_id, student)
    LIVE.changed(room)
    LIVE.arrive(room_id, student)
    if (view := _views.get((room_id, room.version))) is None:
        answers: list[StudentAnswer] = []
        if room.state.revealed:
            room, answers = rooms.snapshot(room_id)
            kept = rooms.own_answer(room_id, room.step, student)
            mine = kept.content if kept else None
        view = _views[room_id, room.version] = phone_view(room, answers)
    code = rooms.participation_code(room_id, student) if room.state.attendance else None
    # Until the room closes; None without a time limit.
    seconds = max(0, room.ends - int(time.time())) if room.ends and room.is_open else None
    return {**view, "seconds": seconds, "mine": mine, "participation": code}


def _names(room_id: object, student: object) -> tuple[str, str]:
    """Validate a room's id and a phone's secret."""
    if not (isinstance(room_id, str) and _ID.fullmatch(room_id)):
        raise _Refused(404)
    if not (isinstance(student, str) and _SECRET.fullmatch(student)):
        raise _Refused(400)
    return room_id, student


async def _body(request: Request) -> dict[str, object]:
    """The JSON object in a request's body, of limited size."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _MAX_BODY:
            raise _Refused(413)
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise _Refused(400) from None
    if not isinstance(body, dict):
        raise _Refused(400)
    return body
