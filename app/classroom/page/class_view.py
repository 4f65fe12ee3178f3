"""A room's answers as the lecturer shows them: the figure, before what the engine computes."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

import pandas as pd
import streamlit as st

from app.classroom.own_question import OwnQuestion
from app.classroom.page.class_figures import numbers_figure, tally_figure
from app.classroom.page.cutting import render_sentence
from app.classroom.page.question import answer_text, option_text, render_cuts
from app.classroom.page.room import back_to_plan, change, reopen_button, reveal_button, rooms, vote_on
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
from app.parts.figures.base import Plot, Trace, arrange, broken, marked_up
from app.parts.figures.styles import filled
from app.parts.layout import render_figure
from app.session import state
from app.session.page_run import fragment
from app.texts.i18n import t
from app.texts.plain import plain
from engine.pictures.palette import BLUE, GREEN, VERMILLION

_HEIGHT = 78
_SIZE, _TICK_SIZE = 17, 13
# Shares of the width: of the whole for the head, and of a place for what is in it.
_HEAD, _FILLED = 0.13, 0.92
# Columns of all labels together, and the lines of each, that fit.
_COLUMNS, _LINES = 112, 2
_BAR, _MOST_BARS = 14, 24


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


def render_strip(asked: PosedQuestion, answers: Sequence[StudentAnswer], is_scored: bool) -> None:
    """The answers of the class to a lesson, at most 80 px high, above its figure."""
    question, said = asked.question, read_answers(asked.question, answers)
    with st.container(key="lessons.room.strip"):
        if not said:
            st.caption(t("room.nobody"))
        elif isinstance(question, Cuts):
            left, right = st.columns([6, 5], vertical_alignment="center")
            with left:
                cuts = question.class_answer(said)
                render_cuts("lessons.room.heat", question, cuts, heat_rows(asked, answers), is_strip=True)
            with right:
                render_agreement(asked, answers, is_scored)
        elif isinstance(question, Choice):
            figure = tally_strip(_title(said), *_tallied(question, asked, said))
            render_figure(figure, "lessons.room.tally", asked.prompt, is_flat=True)
        elif isinstance(question, Numbers):
            middle, titles = question.class_answer(said), _number_titles(question, said)
            figure = numbers_strip(_title(said), question, said, middle, titles)
            render_figure(figure, "lessons.room.numbers", " · ".join(titles), is_flat=True)


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


def _median_text(middle: float, right: float | None) -> str:
    if right is None:
        return t("room.numbers", median=middle)
    return t("room.numbers_right", median=middle, right=right)


def _number_titles(question: Numbers, said: Sequence[tuple[float | None, ...]]) -> list[str]:
    """What each number is of, with the median of the class and the right number."""
    right = question.right or (None,) * len(question.labels)
    texts = map(_median_text, question.class_answer(said), right)
    return [
        text if label in ("", question.unit) else f"{label}  {text}"
        for label, text in zip(question.labels, texts, strict=True)
    ]


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
    st.header(plain(asked.prompt), anchor=False)
    render_given(asked)
    is_shown = room.step in room.state.done
    answers = answers_of(room)
    with st.container(horizontal=True, key="lessons.room.own.steps"):
        (reopen_button if is_shown else reveal_button)(room)
        if not is_planned:
            icon = ":material/arrow_back:"
            st.button(t("room.back"), key="lessons.room.back", icon=icon, on_click=back_to_plan, args=(room,))
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
    st.button(
        t("room.vote.go_on", pair=plain(chosen)),
        key="lessons.room.vote",
        type="primary",
        icon=":material/call_merge:",
        on_click=vote_on,
        args=(room, chosen),
    )


def tally_strip(head: str, labels: Sequence[str], counts: Sequence[int], is_right: Sequence[bool]) -> Plot:
    """The options side by side, each with its count above a bar; the right ones differ in colour and pattern."""
    traces: list[Trace] = []
    width = (1 - _HEAD) / len(labels)
    most, notes = max(counts, default=0) or 1, [_head(head)]
    for k, label in enumerate(labels):
        begin = _HEAD + k * width
        bar = {
            "type": "bar",
            "x": [_FILLED * width * counts[k] / most],
            "y": [_BAR / 2],
            "base": begin,
            "orientation": "h",
            "width": _BAR,
            "marker": filled(GREEN, "/") if is_right[k] else filled(BLUE, ""),
            "customdata": [[marked_up(label), counts[k]]],
            "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra></extra>",
        }
        traces.append(bar)
        lines = broken(label, _COLUMNS // len(labels))[:_LINES]
        text = f"{'<br>'.join(map(marked_up, lines))} &nbsp;<b>{counts[k]}</b>{' ✓' if is_right[k] else ''}"
        notes.append(_note(text, begin, (_BAR + 4) / _HEIGHT))
    axes = {"xaxis": {"visible": False, "range": [0, 1]}, "yaxis": {"visible": False, "range": [0, _HEIGHT]}}
    return _strip(traces, 0, 0, notes, **axes)


def numbers_strip(
    head: str,
    question: Numbers,
    said: Sequence[tuple[float | None, ...]],
    middle: Sequence[float],
    titles: Sequence[str],
) -> Plot:
    """A histogram for each number, side by side, with the median of the class and the right number.

    Parameters
    ----------
    middle, titles : the median and the title of each.
    """
    traces: list[Trace] = []
    width = (1 - _HEAD) / len(titles)
    notes, lines, axes = [_head(head)], [], {}
    for k, title in enumerate(titles):
        known = [number for one in said if (number := one[k]) is not None]
        begin, axis = _HEAD + k * width, f"x{k + 1}"
        traces.append(_histogram(known, question.step) | {"xaxis": axis})
        notes.append(_note(marked_up(title), begin, 1))
        lines.append(_line(axis, middle[k], VERMILLION))
        lines += [_line(axis, question.right[k], GREEN)] if question.right else []
        axes[f"xaxis{k + 1}"] = _axis(question, known, (begin, begin + _FILLED * width))
    return _strip(traces, 26, 24, notes, shapes=lines, yaxis={"visible": False, "range": [0, 1]}, **axes)


def _histogram(numbers: Sequence[float], step: float) -> Trace:
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    width = step * max(1, ceil((high - low) / step / _MOST_BARS))
    bars = Counter(round((number - low) / width) for number in numbers)
    most = max(bars.values(), default=1)
    return {
        "type": "bar",
        "x": [low + k * width for k in bars],
        "y": [count / most for count in bars.values()],
        "customdata": list(bars.values()),
        "width": 0.9 * width,
        "marker": filled(BLUE, ""),
        "hovertemplate": "%{x}: %{customdata}<extra></extra>",
    }


def _axis(question: Numbers, known: Sequence[float], domain: tuple[float, float]) -> dict[str, object]:
    """It begins where the slider begins, and ends there too, or where the numbers end."""
    last = question.high if question.is_slider else max(*known, *question.right, question.low + 1)
    half = question.step / 2
    return {
        "domain": list(domain),
        "range": [question.low - half, last + half],
        "tick0": question.low,
        "nticks": 8,
        "tickfont": {"size": _TICK_SIZE},
        "ticksuffix": question.unit,
        "automargin": False,
    }


def _line(axis: str, x: float, colour: str) -> dict[str, object]:
    line = {"color": colour, "width": 3, "dash": "dot"}
    return {"type": "line", "xref": axis, "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1, "line": line}


def _head(text: str) -> dict[str, object]:
    return _note(f"<b>{marked_up(text)}</b>", 0, 0.5) | {"yanchor": "middle"}


def _note(text: str, x: float, y: float) -> dict[str, object]:
    """Text whose lower left corner is at a place of the plot."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": _SIZE},
    }


def _strip(traces: Sequence[Trace], top: int, bottom: int, notes: Sequence[dict[str, object]], **layout: Any) -> Plot:
    margin = {"l": 0, "r": 0, "t": top, "b": bottom}
    return arrange(traces, "", _HEIGHT, margin=margin, annotations=notes, showlegend=False, barmode="overlay", **layout)
