"""A plan of a class: lessons and own questions in any order, with minutes and notes; and its JSON."""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.classroom.own_question import KINDS, MAX_PROMPT, OwnQuestion
from engine.errors import InputError

VERSION = 1
MARK = "thunder_tok_plan"
MAX_STEPS, MAX_MINUTES, MAX_TITLE, MAX_CONTENT, MAX_NOTES = 30, 300, 80, 600, 2000
MAX_CHARACTERS = 200_000  # of a file
_OWN_PREFIX = "own-"
_STEERING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffd")
_SPACE = "␣"  # as the pages write a space in a token


@dataclass(frozen=True)
class PlanStep:
    """A lesson, or an own question; `notes` are for the lecturer alone."""

    minutes: int
    lesson: str = ""
    own: OwnQuestion | None = None
    notes: str = ""

    def to_fields(self) -> dict[str, Any]:
        what: dict[str, Any] = {"lesson": self.lesson}
        if self.own is not None:
            what = {name: getattr(self.own, name) for name in ("kind", "prompt", "content", "right")}
        return {**what, "minutes": self.minutes, "notes": self.notes}


@dataclass(frozen=True)
class Plan:
    """A plan; without a title it is named by its minutes, without a language it is for all of them."""

    steps: tuple[PlanStep, ...]
    title: str = ""
    language: str = ""

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.steps)

    @property
    def by_name(self) -> dict[str, PlanStep]:
        """The steps under their names in an address: the lesson's id, or `own-1` for the first own question."""
        named: dict[str, PlanStep] = {}
        n_own = 0
        for step in self.steps:
            n_own += step.own is not None
            named[step.lesson or f"{_OWN_PREFIX}{n_own}"] = step
        return named

    def to_json(self) -> str:
        head = {MARK: VERSION, "title": self.title, "language": self.language, "minutes": self.minutes}
        steps = [step.to_fields() for step in self.steps]
        return json.dumps({**head, "steps": steps}, ensure_ascii=False, indent=1)


def checked_plan(plan: Plan, lessons: Collection[str]) -> Plan:
    """The plan, if everything in it is sound.

    Raises
    ------
    InputError : it says which step is wrong, and why.
    """
    _check_text("title", plan.title, MAX_TITLE)
    if not re.fullmatch("[a-z]{0,3}", plan.language):
        raise InputError("plan.language")
    if not 1 <= len(plan.steps) <= MAX_STEPS:
        raise InputError("plan.steps", steps=len(plan.steps), limit=MAX_STEPS)
    for number, step in enumerate(plan.steps, start=1):
        try:
            _check_step(step, lessons)
            if step.lesson and any(step.lesson == other.lesson for other in plan.steps[: number - 1]):
                raise InputError("plan.twice")
        except InputError as error:
            raise InputError("plan.step", number=number, problem=error) from None
    if plan.minutes > MAX_MINUTES:
        raise InputError("plan.minutes", limit=MAX_MINUTES)
    return plan


def _check_step(step: PlanStep, lessons: Collection[str]) -> None:
    if not 1 <= step.minutes <= MAX_MINUTES:
        raise InputError("plan.minutes", limit=MAX_MINUTES)
    _check_text("notes", step.notes, MAX_NOTES)
    if step.own is None:
        if step.lesson not in lessons:
            raise InputError("plan.lesson", name=step.lesson[:40])
        return
    if step.own.kind not in KINDS:
        raise InputError("room.kind", kinds=", ".join(KINDS))
    _check_text("prompt", step.own.prompt, MAX_PROMPT)
    _check_text("content", step.own.content, MAX_CONTENT)
    _check_text("right", step.own.right, MAX_CONTENT)
    _ = step.own.question  # says what is wrong with it


def _check_text(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise InputError("plan.long", field=field, length=len(text), limit=limit)
    for char in text:
        if char in _STEERING or (char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs", "Cn")):
            raise InputError("plan.character", field=field, code=f"U+{ord(char):04X}")


def read_plan(text: str, lessons: Collection[str]) -> Plan:
    """The plan in a file; InputError if it is not a plan, is too large, or something in it is wrong."""
    if len(text) > MAX_CHARACTERS:
        raise InputError("plan.large", limit=MAX_CHARACTERS)
    try:
        kept = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InputError("plan.file") from None
    if not isinstance(kept, Mapping) or MARK not in kept:
        raise InputError("plan.file")
    if type(kept[MARK]) is not int or kept[MARK] != VERSION:
        raise InputError("plan.version", version=VERSION)
    steps = kept.get("steps")
    if not isinstance(steps, list):
        raise InputError("plan.file")
    if len(steps) > MAX_STEPS:
        raise InputError("plan.steps", steps=len(steps), limit=MAX_STEPS)
    plan = Plan(tuple(map(_read_step, steps)), _text(kept, "title"), _text(kept, "language"))
    checked_plan(plan, lessons)
    if _whole(kept, "minutes") != plan.minutes:
        raise InputError("plan.sum", minutes=_whole(kept, "minutes"), sum=plan.minutes)
    return plan


def _read_step(kept: object) -> PlanStep:
    if not isinstance(kept, Mapping):
        raise InputError("plan.file")
    step = PlanStep(_whole(kept, "minutes"), notes=_text(kept, "notes"))
    if "kind" not in kept:
        return replace(step, lesson=_text(kept, "lesson"))
    content, right = (_text(kept, name).replace(_SPACE, " ") for name in ("content", "right"))
    own = OwnQuestion(_text(kept, "kind"), _text(kept, "prompt"), content, right=right)
    return replace(step, own=own)


def _text(kept: Mapping[str, Any], name: str) -> str:
    value = kept.get(name, "")
    if not isinstance(value, str):
        raise InputError("plan.field", field=name)
    return value


def _whole(kept: Mapping[str, Any], name: str) -> int:
    value = kept.get(name)
    if type(value) is not int or abs(value) > 10**6:
        raise InputError("plan.field", field=name)
    return value


def _no_number(name: str) -> float:
    raise ValueError(name)
