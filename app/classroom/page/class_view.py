"""A room's answers as the lecturer shows them: the figure, before what the engine computes."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.classroom.own_question import OwnQuestion
from app.classroom.page.class_figures import numbers_figure, tally_figure
from app.classroom.page.cutting import render_sentence
from app.classroom.page.question import answer_text, option_text, render_cuts
from app.classroom.page.room import (
    asks_row,
    back_to_plan,
    change,
    reopen_button,
    reveal_button,
    room_button,
    rooms,
    vote_on,
)
from app.classroom.page.room_bar import beside_the_code
from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts, cut_f1, cut_shares, krippendorff_alpha, most_disputed
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.question import Options, tally
from app.classroom.questions.word import Word
from app.classroom.room.posed_question import PosedQuestion, own_of, posed_question, read_answers
from app.classroom.store.records import Room, StudentAnswer
from app.classroom.store.room_table import ROOM_SECONDS
from app.components.data import SharedCuts
from app.parts.choices import action_button
from app.parts.layout import render_figure
from app.session import state
from app.session.page_run import fragment
from app.texts.i18n import t
from app.texts.plain import plain

_MOST_ORDERS = 3
_SO_FAR_SECONDS = 3.0


def answers_of(room: Room) -> list[StudentAnswer]:
    return rooms().answers(room.id, room.step)


def class_says(asked: PosedQuestion, answers: Sequence[StudentAnswer]) -> Any:
    """The class' combined answer; without answers the right one, so that the lesson can go on."""
    question = asked.question
    said = question.class_answer(read_answers(question, answers))
    if said is not None:
        return said
    return () if isinstance(question, Cuts) else question.solution


def render_given(asked: PosedQuestion) -> None:
    if asked.given:
        st.markdown(f"**{plain(asked.given_head)}**")
        st.markdown(" &ensp; ".join(f":gray-badge[{plain(item)}]" for item in asked.given))


def render_waiting(asked: PosedQuestion) -> None:
    """The question, while the students think."""
    question = asked.question
    if isinstance(question, Cuts):
        render_cuts("lessons.room.text", question, (), [])
    elif isinstance(question, Options):
        st.markdown("\n".join(f"1. {option_text(option, asked.named)}" for option in question.options))
    elif isinstance(question, Numbers):
        st.markdown("\n".join(f"1. {plain(label)}" for label in question.labels if label not in ("", question.unit)))


@fragment(run_every=_SO_FAR_SECONDS)
def render_so_far(room: Room, planned: str) -> None:
    """For the lecturer alone: the time since the room opened, and the answers to a question that is still open."""
    minutes = max(0, int(time.time()) - room.expires + ROOM_SECONDS) // 60
    st.markdown(t("room.so_far", minutes=minutes, planned=planned))
    found = posed_question(room)
    if room.is_open and found is not None:
        render_answers(room, found, answers_of(room))


def render_answers(room: Room, asked: PosedQuestion, answers: Sequence[StudentAnswer]) -> None:
    """The answers of the class, where they are the only figure."""
    question = asked.question
    said = read_answers(question, answers)
    if isinstance(question, Word):
        _render_words(room, answers)
    elif not said:
        st.caption(t("room.nobody"))
    elif isinstance(question, Cuts):
        render_cuts("lessons.room.heat", question, question.class_answer(said), heat_rows(asked, answers))
    elif isinstance(question, Choice):
        _render_choice(question, asked, said)
    elif isinstance(question, Numbers):
        _render_numbers(question, said)
    elif isinstance(question, Options):
        _render_orders(question, asked, said)


def heat_rows(asked: PosedQuestion, answers: Sequence[StudentAnswer]) -> list[SharedCuts]:
    """The cuts of the class in one row: the number of students who cut at each place. None without answers."""
    said = read_answers(asked.question, answers)
    if not isinstance(asked.question, Cuts) or not said:
        return []
    return [{"label": _title(said), "shares": cut_shares(asked.question, said)}]


def render_agreement(asked: PosedQuestion, answers: Sequence[StudentAnswer], is_scored: bool) -> None:
    """How far the class agrees on the cuts, and where least; each student's cuts, and, if wanted, scores by name."""
    question, gold = asked.question, asked.gold
    said = read_answers(question, answers)
    if not isinstance(question, Cuts) or not said:
        return
    together = question.class_answer(said)
    figures = []
    if (pairs := question.agreement(said)) is not None:
        figures.append(t("room.agreement", share=100 * pairs))
    if (disputed := most_disputed(cut_shares(question, said))) is not None:
        left, right = question.text[: disputed.place].split()[-1][-4:], question.text[disputed.place :].split()[0][:4]
        figures.append(t("room.disputed", left=plain(left), right=plain(right), share=100 * disputed.share))
    with st.container(horizontal=True, vertical_alignment="center", key="lessons.agreement"):
        st.markdown(" &ensp;·&ensp; ".join(figures), width="stretch")
        each = st.popover(t("room.each"), icon=":material/groups:")
    with each:
        ranked = sorted(said, key=lambda cuts: -cut_f1(cuts, together))
        columns = {
            t("room.column.answer"): [" | ".join(question.pieces(cuts)) for cuts in ranked],
            t("room.column.class"): _in_percent(cut_f1(cuts, together) for cuts in ranked),
        }
        if gold is not None:
            columns[t("room.column.right")] = _in_percent(cut_f1(cuts, gold) for cuts in ranked)
        st.dataframe(pd.DataFrame(columns), hide_index=True, key="lessons.room.each")
        if is_scored:
            _render_scores(question, said, gold)


def _in_percent(shares: Iterable[float]) -> list[int]:
    return [round(100 * share) for share in shares]


def _render_scores(question: Cuts, said: Sequence[tuple[int, ...]], gold: tuple[int, ...] | None) -> None:
    """The agreement scores by their usual names, with explanations."""
    scores = []
    if (alpha := krippendorff_alpha(question, said)) is not None:
        scores.append(t("room.alpha", alpha=alpha))
    if gold is not None:
        f1 = sorted(cut_f1(cuts, gold) for cuts in said)
        scores.append(t("room.f1", low=f1[0], median=f1[len(f1) // 2], high=f1[-1]))
    st.markdown(" &ensp;·&ensp; ".join(scores))
    st.caption(t("room.scores"))


def _title(said: Sequence[Any]) -> str:
    return t("room.class", n=len(said))


def _render_choice(question: Choice, asked: PosedQuestion, said: Sequence[str]) -> None:
    figure = tally_figure(*_tallied(question, asked, said), _title(said))
    render_figure(figure, "lessons.room.tally", asked.prompt, is_flat=True)


def _tallied(question: Choice, asked: PosedQuestion, said: Sequence[str]) -> tuple[list[str], list[int], list[bool]]:
    """For each option its label, its count, and whether it is right."""
    counts = dict(tally(said))
    labels = [option.label or asked.named[option.code] for option in question.options]
    numbers = [counts.get(option.code, 0) for option in question.options]
    return labels, numbers, [option.code in question.right for option in question.options]


def _render_numbers(question: Numbers, said: Sequence[tuple[float | None, ...]]) -> None:
    middle = question.class_answer(said)
    for place, label in enumerate(question.labels):
        known = [numbers[place] for numbers in said]
        right = question.right[place] if question.right else None
        title = _median_text(middle[place], right)
        figure = numbers_figure(
            [n for n in known if n is not None],
            question.step,
            question.low,
            question.high if question.is_slider else None,
            right,
            middle[place],
            title,
            label or question.unit,
            230 if len(question.labels) == 1 else 160,
        )
        render_figure(figure, f"lessons.room.numbers.{place}", title, is_flat=True)


def medians_text(question: Numbers, answers: Sequence[StudentAnswer]) -> str:
    """What the class says about several numbers, in one line."""
    said = read_answers(question, answers)
    if not said:
        return t("room.nobody")
    right = question.right or (None,) * len(question.labels)
    medians = zip(question.labels, question.class_answer(said), right, strict=True)
    return " &ensp;·&ensp; ".join(
        f"**{plain(label)}** {_median_text(middle, wanted)}" for label, middle, wanted in medians
    )


def _median_text(middle: float, right: float | None) -> str:
    if right is None:
        return t("room.numbers", median=middle)
    return t("room.numbers_right", median=middle, right=right)


def _render_orders(question: Options[Any], asked: PosedQuestion, said: Sequence[Any]) -> None:
    rows = tally(said)[:_MOST_ORDERS]
    figure = tally_figure(
        [answer_text(question, order, asked.named).replace("\\", "") for order, _ in rows],
        [count for _, count in rows],
        [order == question.solution for order, _ in rows],
        _title(said),
    )
    render_figure(figure, "lessons.room.orders", asked.prompt, is_flat=True)


def _render_words(room: Room, answers: Sequence[StudentAnswer]) -> None:
    """Free answers, each with a button to remove it from the screen."""
    if not answers:
        st.caption(t("room.nobody"))
    words = st.container(key="lessons.room.words")
    for answer in reversed(answers[-60:]):
        with words.container(horizontal=True, vertical_alignment="center"):
            shown = f":gray[{t('room.hidden')}]" if answer.is_hidden else plain(answer.content)
            st.markdown(shown, width="stretch")
            label = t("room.show_again") if answer.is_hidden else t("room.hide")
            st.button(label, key=f"lessons.room.hide.{answer.number}", on_click=_hide, args=(room, answer))


def _hide(room: Room, answer: StudentAnswer) -> None:
    rooms().hide(room.id, state.owner(), answer.number, not answer.is_hidden)
    change(rooms().find(room.id))


# ---- the lecturer's own question


def render_own(room: Room, asked: PosedQuestion, is_planned: bool, is_scored: bool) -> None:
    """A question that the lecturer typed, in the plan or between its steps, from asking to the engine's result."""
    own = own_of(room)
    assert own is not None
    is_shown = room.step in room.state.done
    answers = answers_of(room)
    row = asks_row()
    row.header(plain(asked.prompt), anchor=False, width="stretch")
    with row:
        (reopen_button if is_shown else reveal_button)(room)
        if not is_planned:
            room_button("back", ":material/arrow_back:", back_to_plan, room)
    render_given(asked)
    if not is_shown:
        with beside_the_code(room):
            render_waiting(asked)
    elif isinstance(asked.question, Cuts):
        render_sentence(asked.question, class_says(asked, answers), asked.gold, heat_rows(asked, answers))
        render_agreement(asked, answers, is_scored)
    elif own.kind == "merge":
        _render_vote(room, own, asked, answers)
    else:
        render_answers(room, asked, answers)


def _render_vote(room: Room, own: OwnQuestion, asked: PosedQuestion, answers: Sequence[StudentAnswer]) -> None:
    """The vote of the class next to BPE's counts, and a button to merge the pair the class chose."""
    vote = own.vote
    left, right = st.columns(2, gap="large")
    with left:
        render_answers(room, asked, answers)
    with right:
        st.markdown(t("room.vote.counts"))
        table = pd.DataFrame([(plain(" + ".join(row.pair)), row.frequency) for row in vote.pairs])
        table.columns = pd.Index([t("room.vote.pair"), t("room.vote.count")])
        st.table(table.set_index(table.columns[0]))
    st.markdown(t("room.vote.tokens", own=vote.n_tokens, bpe=vote.bpe_tokens, merges=len(own.merges)))
    chosen = class_says(asked, answers)
    label = t("room.vote.go_on", pair=plain(chosen))
    action_button(label, "lessons.room.vote", ":material/call_merge:", vote_on, room, chosen, is_main=True)
