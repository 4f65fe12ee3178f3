"""The printable handout of a class, `/handout?plan=50&lang=ko`, and the page that it and the report are printed on."""

import hmac
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.classroom.lessons import LESSONS, PAYS_MODEL, Lesson, asked_in, given_words
from app.classroom.plan import PlanStep
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.question import Options, Question, codes_of
from app.classroom.room.posed_question import asked_own
from app.classroom.store.rooms import rooms_of
from app.classroom.stored_plans import DEFAULT_PLAN, find_plan, plan_name, plan_title
from app.server.library import library
from app.server.store.store import LibraryError
from app.texts.catalogue import FALLBACK, LANGUAGES, catalogue, translate
from engine.errors import InputError
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available

PRINT = "print.js"
_STYLE = Path(__file__).resolve().parents[3] / "assets" / "styles" / "handout.css"
# The policy allows no script within a page.
_SCRIPT = 'document.querySelector("button.print").addEventListener("click", () => print());\n'


def printed_page(language: str, title: str, content: str, right: str = "") -> str:
    """The HTML of a page with a button that prints it.

    Parameters
    ----------
    title : plain text.
    content : HTML.
    right : HTML to the right of the heading.
    """
    head, button = html.escape(title), html.escape(translate("report.print", language))
    return (
        f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><title>{head}</title>'
        f'<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        '<link rel="icon" href="favicon.png">'
        f'<style>{_STYLE.read_text(encoding="utf-8")}</style><script src="{PRINT}" defer></script>'
        f'<button class="print" type="button">{button}</button>'
        f"<header><h1>{head}</h1>{right}</header>{content}</html>"
    )


def print_script(request: Request) -> Response:
    return Response(_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


_LINK, _STRONG, _CODE = re.compile(r"\[([^]]*)\]\([^)]*\)"), re.compile(r"\*\*(.+?)\*\*"), re.compile(r"`(.+?)`")
A = TypeVar("A")


@dataclass(frozen=True)
class _OwnLesson(Lesson):
    """An own question of a plan, with its texts instead of the catalogue's."""

    texts: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, Sequence[str]] = ("", ())

    @classmethod
    def of(cls, name: str, step: PlanStep, language: str) -> Self:
        own = step.own
        assert own is not None
        asked = asked_own(own, language)
        texts = {"name": asked.prompt, "notes": step.notes}
        return cls(name, step.minutes, {language: asked.question}, texts=texts, given=(asked.given_head, asked.given))


def handout(request: Request) -> Response:
    """The handout of a plan in a language; missing or invalid parameters fall back to the defaults."""
    asked = request.query_params
    plan, language = plan_name(asked.get("plan", "")) or DEFAULT_PLAN, asked.get("lang", "")
    try:
        find_plan(plan)
    except InputError:
        plan = DEFAULT_PLAN
    has_answers = _is_taught(plan, asked.get("room", ""), asked.get("key", ""))
    page = handout_page(plan, language if language in LANGUAGES else FALLBACK, has_answers)
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


def is_lecturer(room_id: str, key: str) -> bool:
    """Whether the key is that of the room's lecturer."""
    try:
        known = rooms_of(library()).lecturer_key(room_id) if room_id and key else ""
    except LibraryError:
        return False
    return bool(known) and hmac.compare_digest(known.encode(), key.encode("utf-8", "surrogatepass"))


def _is_taught(plan: str, room_id: str, key: str) -> bool:
    """Whether the room of this lecturer's key follows the plan: a room opens the answers of no other."""
    if not is_lecturer(room_id, key):
        return False
    try:
        room = rooms_of(library()).find(room_id)
    except LibraryError:  # it has just ended
        return False
    return (plan_name(room.state.plan) or DEFAULT_PLAN) == plan


def handout_page(plan: str, language: str, has_answers: bool = False) -> str:
    """The HTML of a plan's handout."""
    found = find_plan(plan)
    lessons = [LESSONS.get(name) or _OwnLesson.of(name, step, language) for name, step in found.by_name.items()]
    title = f"{translate('lessons.title', language)} · {plan_title(found, language)}"
    questions = "".join(_question_article(number, lesson, language) for number, lesson in enumerate(lessons, start=1))
    answers = _answers(lessons, language) if has_answers else ""
    name = f"<p>{_text('lessons.handout.name', language)}</p>"
    return printed_page(language, title, f"<main>{questions}</main>{answers}", name)


def _answers(lessons: Sequence[Lesson], language: str) -> str:
    answers = "".join(_answered(number, lesson, language) for number, lesson in enumerate(lessons, start=1))
    return f'<section class="answers"><h1>{_text("lessons.handout.answers", language)}</h1>{answers}</section>'


def _question_article(number: int, lesson: Lesson, language: str) -> str:
    question, check = asked_in(lesson, language, is_available(PAYS_MODEL))
    parts = [
        f"<h2>{number}. {_of(lesson, 'name', language)}</h2>",
        f"<p class=goal>{_of(lesson, 'goal', language)}</p>",
        f"<p><strong>{_of(lesson, 'question', language)}</strong></p>",
        _given(lesson, question, language),
        _room(lesson, question, language),
    ]
    if check is not None:
        parts += [f"<p>{_of(lesson, 'check', language)}</p>", _room(lesson, check, language)]
    return f"<article>{''.join(parts)}</article>"


def _answered(number: int, lesson: Lesson, language: str) -> str:
    questions = asked_in(lesson, language, is_available(PAYS_MODEL))
    right = [_solution(lesson, one, language) for one in questions if one is not None]
    said = " · ".join(one for one in right if one)
    texts = (_of(lesson, part, language) for part in ("why", "take", "notes"))
    parts = [f"<strong>{said}</strong>" if said else "", *texts]
    paragraphs = "".join(f"<p>{part}</p>" for part in parts if part)
    return f"<h2>{number}. {_of(lesson, 'name', language)}</h2>{paragraphs}"


def _given(lesson: Lesson, question: Question[A], language: str) -> str:
    head, words = lesson.given if isinstance(lesson, _OwnLesson) else given_words(lesson, question, language)
    items = "".join(f"<li>{html.escape(word)}</li>" for word in words)
    return f"<p>{html.escape(head)}</p><ul class=given>{items}</ul>" if words else ""


def _room(lesson: Lesson, question: Question[A], language: str) -> str:
    """Room to write the answer."""
    if isinstance(question, Cuts):
        words = ("".join(f"<span>{html.escape(char)}</span>" for char in word) for word in question.text.split())
        return f'<p class="cuts">{" ".join(f"<span>{word}</span>" for word in words)}</p>'
    if isinstance(question, Numbers):
        labels = ("" if label == question.unit else f"{html.escape(label)} = " for label in question.labels)
        unit = html.escape(question.unit)
        return f"<p>{''.join(f'<span class=blank>{label}______ {unit}</span>' for label in labels)}</p>"
    options = ""
    if isinstance(question, Options):
        options = "".join(f"<li>{_option(lesson, one.code, one.label, language)}</li>" for one in question.options)
        options = f"<ul class=options>{options}</ul>"
    return options + "<div class=line></div>" * question.n_lines


def _option(lesson: Lesson, code: str, label: str, language: str) -> str:
    return html.escape(label) if label else _of(lesson, f"option.{code}", language)


def _solution(lesson: Lesson, question: Question[A], language: str) -> str:
    if question.solution is None:
        return ""
    if isinstance(question, Cuts):
        return html.escape(" | ".join(question.pieces(question.right or ())))
    if isinstance(question, Numbers):
        return html.escape(" · ".join(f"{number:g}{question.unit}" for number in question.right))
    if isinstance(question, Options):
        texts = {one.code: _option(lesson, one.code, one.label, language) for one in question.options}
        return html.escape(question.between).join(texts[code] for code in codes_of(question.solution))
    return html.escape(str(question.solution))


def _of(lesson: Lesson, part: str, language: str) -> str:
    if isinstance(lesson, _OwnLesson):
        return html.escape(lesson.texts.get(part, ""), quote=False)
    key = f"lesson.{lesson.id}.{part}"
    return _text(key, language) if key in catalogue() else ""


def _text(key: str, language: str) -> str:
    """A catalogue text as HTML; its only Markdown is bold, code and links, and links lose their address on paper."""
    text = html.escape(translate(key, language, model=PUBLIC_TOKENIZERS[PAYS_MODEL].title), quote=False)
    return _CODE.sub(r"<code>\1</code>", _STRONG.sub(r"<strong>\1</strong>", _LINK.sub(r"\1", text)))
