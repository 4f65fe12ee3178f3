"""The plan of a class, edited: its steps and their order, minutes, notes and own questions; saved, sent and opened."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

import streamlit as st

from app.classroom.lessons import LESSONS, lesson_step
from app.classroom.own_question import KINDS, MAX_PROMPT, MERGE, OwnQuestion
from app.classroom.plan import (
    MARK,
    MAX_CHARACTERS,
    MAX_CONTENT,
    MAX_MINUTES,
    MAX_NOTES,
    MAX_TITLE,
    Plan,
    PlanStep,
    checked_plan,
    read_plan,
)
from app.classroom.room.posed_question import own_prompt
from app.classroom.stored_plans import find_plan, plan_title, save_plan
from app.components.browser import awaited_key
from app.parts.choices import action_button
from app.parts.data_table import download
from app.parts.problem import attempted, reason
from app.server.library import library
from app.session import state
from app.session.url import UrlValue
from app.texts.i18n import language, page_address, t
from app.texts.plain import plain
from engine.errors import InputError

_KEY = "lessons.edit"
_DRAFT, _OF, _AT, _ROUND = f"{_KEY}.draft", f"{_KEY}.of", f"{_KEY}.at", f"{_KEY}.round"
_OWN_MINUTES = 5


def step_text(step: PlanStep, language: str) -> str:
    return plain(own_prompt(step.own, language)) if step.own else t(f"lesson.{step.lesson}.name")


def render_plan_editor(plan: Plan, chosen: UrlValue[str]) -> None:
    """The folded editor: a copy of the plan, until it is saved under a link of its own and chosen."""
    folded = st.expander(t("lessons.edit.title"), icon=":material/edit_note:", key=f"{_KEY}.open", on_change="rerun")
    if not folded.open:
        return
    with folded:
        if st.session_state.get(_OF) != chosen.value:
            _begin(replace(plan, title=plan.title or plan_title(plan, language()), language=language()))
            st.session_state[_OF] = chosen.value
        draft: Plan = st.session_state[_DRAFT]
        st.caption(t("lessons.edit.about"))
        left, right = st.columns(2, gap="large")
        with left:
            _render_steps(draft)
        with right:
            _render_step(draft)
        _render_files(draft, chosen)


def _begin(plan: Plan, at: int = 0) -> None:
    st.session_state[_DRAFT] = plan
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    st.session_state[_AT] = max(0, min(at, len(plan.steps) - 1))


def _field(name: str) -> str:
    return f"{_KEY}.{st.session_state[_ROUND]}.{st.session_state[_AT]}.{name}"


def _render_steps(draft: Plan) -> None:
    title = f"{_KEY}.{st.session_state[_ROUND]}.title"
    st.text_input(t("lessons.edit.name"), draft.title, MAX_TITLE, key=title, on_change=_retitle, args=(title,))
    texts = [
        t("lessons.edit.step", number=k, name=step_text(step, language()), minutes=step.minutes)
        for k, step in enumerate(draft.steps, start=1)
    ]
    if texts:
        # A browser sends the text of its choice, which is no choice any more once the text has changed: every list of
        # texts is another control.
        picker = f"{_KEY}.pick.{crc32(''.join(texts).encode())}"
        st.session_state[picker] = st.session_state[_AT]
        label = t("lessons.edit.steps")
        st.radio(label, range(len(texts)), format_func=texts.__getitem__, key=picker, on_change=_pick, args=(picker,))
    st.markdown(t("lessons.edit.sum", minutes=draft.minutes))
    with st.container(horizontal=True):
        for name, icon, act in _MOVES:
            # The second of two clicks on "remove" must not be for the next step.
            key = f"{_KEY}.{name}" + f".{st.session_state[_ROUND]}" * (act is _remove)
            label = t(f"lessons.edit.{name}")
            st.button(label, key=key, icon=icon, on_click=act, disabled=not texts)
    missing = [name for name in LESSONS if name not in draft.by_name]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if missing:
            names = {name: t(f"lesson.{name}.name") for name in missing}
            added = f"{_KEY}.lesson.{st.session_state[_ROUND]}"
            st.selectbox(t("lessons.edit.lesson"), missing, format_func=names.__getitem__, key=added)
            st.button(t("lessons.edit.add"), key=f"{_KEY}.add", on_click=_add_lesson, args=(added,))
        st.button(t("lessons.edit.add_own"), key=f"{_KEY}.add_own", on_click=_add_own)


def _render_step(draft: Plan) -> None:
    if not draft.steps:
        return
    step = draft.steps[st.session_state[_AT]]

    def area(name: str, value: str, limit: int, label: str) -> None:
        st.text_area(label, value, height=90, max_chars=limit, key=_field(name), on_change=_take, args=(name,))

    minutes = min(max(step.minutes, 1), MAX_MINUTES)
    label = t("lessons.edit.minutes")
    st.number_input(label, 1, MAX_MINUTES, minutes, key=_field("minutes"), on_change=_take, args=("minutes",))
    if own := step.own:
        kinds = {kind: t(f"room.own.kind.{kind}") for kind in KINDS}
        st.selectbox(
            t("room.own.kind_label"),
            KINDS,
            KINDS.index(own.kind),
            format_func=kinds.__getitem__,
            key=_field("kind"),
            on_change=_take,
            args=("kind",),
        )
        label = t("room.own.prompt_label")
        st.text_input(label, own.prompt, MAX_PROMPT, key=_field("prompt"), on_change=_take, args=("prompt",))
        if own.kind not in ("numbers", "word"):
            area("content", own.content, MAX_CONTENT, t(f"room.own.content.{own.kind}"))
        if own.kind != MERGE:  # which pair BPE merges is counted
            area("right", own.right, MAX_CONTENT, t(f"lessons.edit.right.{own.kind}"))
    area("notes", step.notes, MAX_NOTES, t("lessons.edit.notes"))


def _render_files(draft: Plan, chosen: UrlValue[str]) -> None:
    try:
        checked_plan(draft, LESSONS)
    except InputError as error:
        st.warning(plain(reason(error)), icon=":material/error:")
        is_sound = False
    else:
        is_sound = True
    with st.container(horizontal=True):
        is_known = bool(awaited_key())
        label, is_on = t("lessons.edit.save"), is_sound and is_known
        action_button(label, f"{_KEY}.save", ":material/save:", _save, chosen, is_main=True, is_on=is_on)
        label, content = t("lessons.edit.download"), draft.to_json().encode() if is_sound else b""
        download(label, content, "plan.json", "application/json", f"{_KEY}.download", is_on=is_sound)
    if chosen.value in (owned := _owned()):
        st.markdown(t("lessons.edit.link", address=page_address("lessons", plan=chosen.value, lang=language())))
    if owned:
        kept = f"{_KEY}.kept"
        st.selectbox(
            t("lessons.edit.kept"),
            list(owned),
            None,
            format_func=owned.__getitem__,
            key=kept,
            on_change=lambda: chosen.set(st.session_state[kept] or chosen.value),
        )
    file = f"{_KEY}.file"
    st.file_uploader(t("lessons.edit.upload"), type=["json"], key=file, on_change=_upload, args=(file,))


def _owned() -> dict[str, str]:
    """The visitor's saved plans: their titles by id."""
    found = {}
    try:
        for text in library().texts.owned(state.owner()):
            if MARK in text.beginning:
                found[text.id] = find_plan(text.id).title
    except InputError:  # no library, or a damaged plan: those found so far
        pass
    return found


# ---- callbacks


def _change(index: int, step: PlanStep) -> None:
    draft: Plan = st.session_state[_DRAFT]
    st.session_state[_DRAFT] = replace(draft, steps=(*draft.steps[:index], step, *draft.steps[index + 1 :]))


def _retitle(key: str) -> None:
    st.session_state[_DRAFT] = replace(st.session_state[_DRAFT], title=st.session_state[key].strip())


def _pick(picker: str) -> None:
    st.session_state[_AT] = st.session_state[picker]


def _take(name: str) -> None:
    at, value = st.session_state[_AT], st.session_state[_field(name)]
    step: PlanStep = st.session_state[_DRAFT].steps[at]
    changes: dict[str, Any] = {name: value}
    if name in OwnQuestion._fields and step.own is not None:
        _change(at, replace(step, own=step.own._replace(**changes)))
    else:
        _change(at, replace(step, **changes))


def _move(by: int) -> None:
    steps, at = list(st.session_state[_DRAFT].steps), st.session_state[_AT]
    to = min(max(at + by, 0), len(steps) - 1)
    steps.insert(to, steps.pop(at))
    _begin(replace(st.session_state[_DRAFT], steps=tuple(steps)), to)


def _remove() -> None:
    steps, at = st.session_state[_DRAFT].steps, st.session_state[_AT]
    _begin(replace(st.session_state[_DRAFT], steps=(*steps[:at], *steps[at + 1 :])), at)


def _add(step: PlanStep) -> None:
    draft: Plan = st.session_state[_DRAFT]
    _begin(replace(draft, steps=(*draft.steps, step)), len(draft.steps))


def _add_lesson(key: str) -> None:
    _add(lesson_step(st.session_state[key]))


def _add_own() -> None:
    _add(PlanStep(_OWN_MINUTES, own=OwnQuestion("word", "", "")))


@attempted
def _save(chosen: UrlValue[str]) -> None:
    name = save_plan(st.session_state[_DRAFT], state.owner())
    chosen.set(name)
    st.session_state[_OF] = name
    st.session_state[state.NOTICE] = t("lessons.edit.saved")


@attempted
def _upload(key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    if file.size > 4 * MAX_CHARACTERS:
        raise InputError("plan.large", limit=MAX_CHARACTERS)
    try:
        text = file.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("plan.file") from None
    _begin(read_plan(text, LESSONS))


_MOVES: tuple[tuple[str, str, Callable[[], None]], ...] = (
    ("up", ":material/arrow_upward:", lambda: _move(-1)),
    ("down", ":material/arrow_downward:", lambda: _move(1)),
    ("remove", ":material/delete:", _remove),
)
