"""Parts of a lesson's stages, alone and with a class: its question and live view, what to take away, the way on."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.classroom.lessons import Lesson
from app.classroom.page.counting import render_bytes, render_pays, render_same_sentence, render_thunder
from app.classroom.page.counting import render_words as render_unknown
from app.classroom.page.cutting import render_boundaries, render_tokens
from app.classroom.page.lesson_now import STAGES, LessonNow
from app.classroom.page.link import LESSON, PLAN, PlanPlace
from app.classroom.page.room import asks_row
from app.classroom.page.room_end import render_rooms
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.question import Question
from app.components.data import Block, Frame
from app.components.players import viterbi_stepper
from app.parts.choices import action_button
from app.parts.tables.learn.merge_frames import merge_frames, pair_table, what_is_next
from app.parts.tables.learn.unigram import toy_viterbi_data
from app.parts.tables.learn.unigram_frames import pruning_frames
from app.parts.url_stepper import url_stepper
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.toys.corpus import read_toy_corpus
from app.toys.merges import merge_steps
from app.toys.unigram import probabilities, strict_substrings, unigram_steps
from engine.merge_settings import MergeSettings

_MERGES, _ROUNDS, _MAX_ROWS = 6, 8, 6


def words_of(lesson: Lesson) -> dict[str, int]:
    return read_toy_corpus(lesson.material[lesson.class_language(language())])


def merge_settings(algorithm: str, score: str = "frequency") -> MergeSettings:
    return MergeSettings(
        algorithm=algorithm, vocab_size=None, continuing="", end_of_word="", mark_place="symbol", score=score
    )


def render_words(lesson: Lesson) -> None:
    st.markdown(f"**{t('lessons.words_head')}**")
    words = (f":gray-badge[{plain(' '.join(word))}] ×{count}" for word, count in words_of(lesson).items())
    st.markdown(" &ensp; ".join(words))


def render_tokens_of(lesson: Lesson, question: Question[object]) -> None:
    """The tokens that a word can be segmented into, with their counts."""
    assert isinstance(question, Cuts)
    counts = strict_substrings(words_of(lesson))
    st.markdown(f"**{t('lessons.tokens_head')}**")
    tokens = (f":gray-badge[{plain(token)}] {count}" for token, count in counts.items() if token in question.text)
    st.markdown(" &ensp; ".join(tokens))


def render_bpe(lesson: Lesson, question: Question[object], own: object) -> None:
    settings = merge_settings("bpe")
    steps = merge_steps(words_of(lesson), settings, _MERGES)
    frames = merge_frames(steps, settings, (), language(), hidden=True)[1:]
    url_stepper("step", [_first_blocks(frame) for frame in frames], ("bpe", language()), t("learn_bpe.title"))


def render_wordpiece(lesson: Lesson, question: Question[object], own: object) -> None:
    """The boards of BPE and WordPiece."""
    words = words_of(lesson)
    methods = {"BPE": merge_settings("bpe"), "WordPiece": merge_settings("wordpiece", "likelihood")}
    frames: list[Frame] = []
    for steps in zip(*(merge_steps(words, chosen, _MERGES)[:-1] for chosen in methods.values()), strict=False):
        blocks, notes = [], []
        for step, (name, settings) in zip(steps, methods.items(), strict=True):
            table = pair_table(step, settings, language())
            blocks.append(_first_rows({**table, "caption": name, "width": "own"}))
            notes.append(what_is_next(step, settings, False, language()))
        title = t("learn_bpe.versus", number=steps[0].number + 1)
        frames.append({"title": title, "note": " ".join(notes), "blocks": blocks})
    url_stepper("step", frames, ("wordpiece", language()), t("learn_bpe.title"))


def render_unigram(lesson: Lesson, question: Cuts, own: object) -> None:
    prob = probabilities(strict_substrings(words_of(lesson)))
    data = toy_viterbi_data(question.text, prob)
    viterbi_stepper("lessons.viterbi", data, start=len(question.text))


def render_em(lesson: Lesson, question: Question[object], own: object) -> None:
    """Pruning by loss, one token per round."""
    words = words_of(lesson)
    counts = strict_substrings(words)
    steps = list(islice(unigram_steps(words, counts, sum(len(token) == 1 for token in counts)), _ROUNDS))
    frames = [_first_blocks(frame) for frame in pruning_frames(words, steps, language())]
    url_stepper("step", frames, ("em", language()), t("learn_unigram.pruning"))


def _first_blocks(frame: Frame) -> Frame:
    """Truncated to one screen: two blocks side by side, and the first rows of a table."""
    return {**frame, "blocks": [_first_rows(block) for block in frame["blocks"][:2]]}


def _first_rows(block: Block) -> Block:
    if block["kind"] != "table":
        return block
    marks = [mark for mark in block.get("marks", ()) if mark["row"] < _MAX_ROWS]
    picks: list[str | None] = []
    return {**block, "rows": block["rows"][:_MAX_ROWS], "marks": marks, "picks": picks}


# What a lesson shows with its question, and the live view that answers it.
_MATERIAL: dict[str, Callable[..., None]] = {
    "pays": lambda lesson, question: render_same_sentence(),
    "bpe": lambda lesson, question: render_words(lesson),
    "wordpiece": lambda lesson, question: render_words(lesson),
    "unigram": render_tokens_of,
    "em": lambda lesson, question: render_words(lesson),
}
_REVEALS: dict[str, Callable[..., None]] = {
    "tokens": render_tokens,
    "words": render_unknown,
    "bpe": render_bpe,
    "wordpiece": render_wordpiece,
    "unigram": render_unigram,
    "em": render_em,
    "bytes": render_bytes,
    "pays": render_pays,
    "thunder": render_thunder,
    "boundaries": render_boundaries,
}


def check_box() -> DeltaGenerator:
    return st.container(border=True, key="lessons.check")


def steps_row() -> DeltaGenerator:
    return st.container(horizontal=True, key="lessons.steps")


def render_asks(lesson: LessonNow, place: PlanPlace, may_open_room: bool) -> DeltaGenerator:
    """The question, and a container next to it, so that the next button is visible whatever the figure's height."""
    row = asks_row()
    is_asked = lesson.stage.value == STAGES[0]
    # Large while it is open; next to the figures it is only a reminder.
    (row.header if is_asked else row.subheader)(lesson.text("question"), anchor=False, width="stretch")
    if is_asked and may_open_room:  # later a figure fills the screen
        with row:
            render_rooms(PLAN.value, lesson.id)
    if is_asked:
        st.caption(f"{place.clock()} — {t('lessons.goal')}: {lesson.text('goal')}")
    return row


def stage_button(lesson: LessonNow, name: str, stage: str, icon: str, kind: Any = "secondary") -> None:
    st.button(
        t(f"lessons.{name}"), key=f"lessons.{name}", type=kind, icon=icon, on_click=lesson.stage.set, args=(stage,)
    )


def understand_button(lesson: LessonNow) -> None:
    stage_button(lesson, "understand", "understand", ":material/lightbulb:", "primary")


def back_to_reveal_button(lesson: LessonNow) -> None:
    stage_button(lesson, "back_to_reveal", "reveal", ":material/arrow_back:")


def next_button(place: PlanPlace) -> None:
    """To the next step of the plan; none at its end."""
    if place.following:
        label, icon = t("lessons.next"), ":material/arrow_forward:"
        action_button(label, "lessons.go_on", icon, LESSON.set, place.following, is_main=True)


def render_takeaways(lesson: LessonNow) -> None:
    """What surprised, what to remember, and where to read on."""
    for name in ("surprise", "take"):
        st.markdown(f"**{t(f'lessons.{name}')}**")
        st.markdown(lesson.text(name))
    st.markdown(f"**{t('lessons.deeper')}**")
    with st.container(horizontal=True, key="lessons.deeper"):
        for page in lesson.lesson.deeper:
            st.page_link(f"views/{page}/page.py", label=t(f"frame.page.{page}"))


def is_revealed(lesson: LessonNow) -> bool:
    """Whether the lesson has anything to reveal: the exit ticket has not."""
    return lesson.id in _REVEALS


def render_material(lesson: LessonNow) -> None:
    if lesson.id in _MATERIAL:
        _MATERIAL[lesson.id](lesson.lesson, lesson.question)


def render_reveal(lesson: LessonNow, answer: object) -> None:
    """The live view, next to an answer: the visitor's, or the class'. It is not computed before there is one."""
    _REVEALS[lesson.id](lesson.lesson, lesson.question, answer)
