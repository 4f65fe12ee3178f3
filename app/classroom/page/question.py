"""Controls for the questions of `app.classroom.questions`, one per kind; the answer is a `UrlValue`."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from app.classroom.questions.choice import Choice
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.numbers import Numbers
from app.classroom.questions.order import Order
from app.classroom.questions.question import Named, Option, Question
from app.classroom.questions.word import Word
from app.components.boards import cuts_board
from app.components.data import SharedCuts
from app.session.url import UrlValue
from app.texts.i18n import language, t
from app.texts.plain import plain

A = TypeVar("A")


def answer_value(param: str, key: str, question: Question[A]) -> UrlValue[A | None]:
    """The value that stores the answer to a question: the session's `key`, and `param` in the URL."""

    def write(answer: A | None) -> str | None:
        return None if answer is None else question.write(answer)

    return UrlValue(param, key, question.read, write, None)


def is_answered(question: Question[A], answer: UrlValue[A | None]) -> bool:
    return answer.value is not None and question.is_complete(answer.value)


def render_question(question: Question[A], answer: UrlValue[A | None], prompt: str, named: Named) -> None:
    """The control of a question.

    Parameters
    ----------
    prompt : the question as plain text, for screen readers; the page displays it itself.
    named : texts of the options without a label.
    """
    _FACES[question.kind](question, answer, prompt, named)


def option_text(option: Option, named: Named) -> str:
    return plain(option.text(named))


def answer_text(question: Question[A], answer: A, named: Named) -> str:
    """An answer, for use in a sentence."""
    if isinstance(question, Cuts) and isinstance(answer, tuple):
        return plain(" | ".join(question.pieces(answer)))
    if isinstance(question, Numbers) and isinstance(answer, tuple):
        of = ("" if label == question.unit else f"{label} " for label in question.labels)
        numbers = ("–" if number is None else f"{number:g}{question.unit}" for number in answer)
        return plain(" · ".join(map(str.__add__, of, numbers)))
    return plain(question.in_words(answer, named))


def render_cuts(key: str, question: Cuts, cuts: tuple[int, ...], rows: list[SharedCuts]) -> None:
    """A text as it was cut, and others' cuts below."""
    cuts_board(key, question.text, cuts, None, rows, lang=language())


def _render_cuts(question: Cuts, answer: UrlValue[tuple[int, ...] | None], prompt: str, named: Named) -> None:
    cuts = answer.value or ()
    cuts_board(f"{answer.key}.cuts", question.text, cuts, answer.set, labels={"title": prompt}, lang=language())


def _render_choice(question: Choice, answer: UrlValue[str | None], prompt: str, named: Named) -> None:
    key = f"{answer.key}.choice"
    texts = {option.code: option_text(option, named) for option in question.options}
    st.session_state[key] = answer.value
    st.segmented_control(
        plain(prompt),
        list(texts),
        format_func=texts.__getitem__,
        key=key,
        on_change=_take(key, answer),
        wrap=True,
        label_visibility="collapsed",
    )


def _render_numbers(
    question: Numbers, answer: UrlValue[tuple[float | None, ...] | None], prompt: str, named: Named
) -> None:
    numbers = answer.value or (None,) * len(question.labels)
    kind = float if question.step % 1 else int
    low, high, step = kind(question.low), kind(question.high), kind(question.step)

    def take(place: int, key: str) -> Callable[[], None]:
        def taken() -> None:
            number = st.session_state[key]
            own = tuple(number if k == place else old for k, old in enumerate(answer.value or numbers))
            answer.set(own if any(one is not None for one in own) else None)

        return taken

    for place, column in enumerate(st.columns(len(question.labels))):
        key, number = f"{answer.key}.number.{place}", numbers[place]
        if question.is_slider:
            st.session_state[key] = low if number is None else kind(number)
            column.slider(
                plain(prompt),
                low,
                high,
                step=step,
                key=key,
                format=f"%g{question.unit.replace('%', '%%')}",
                on_change=take(place, key),
                label_visibility="collapsed",
            )
        else:
            st.session_state[key] = None if number is None else kind(number)
            column.number_input(
                plain(question.labels[place]), low, high, value=None, step=step, key=key, on_change=take(place, key)
            )


def _render_order(question: Order, answer: UrlValue[tuple[str, ...] | None], prompt: str, named: Named) -> None:
    key = f"{answer.key}.order"
    texts = {option.code: option_text(option, named) for option in question.options}
    st.session_state[key] = list(answer.value or ())
    st.multiselect(
        t("lessons.order_help"),
        list(texts),
        format_func=texts.__getitem__,
        key=key,
        placeholder=t("frame.choose"),
        on_change=_take(key, answer, lambda codes: tuple(codes) or None),
    )


def _render_word(question: Word, answer: UrlValue[str | None], prompt: str, named: Named) -> None:
    key = f"{answer.key}.word"
    st.session_state[key] = answer.value or ""
    st.text_input(
        t("lessons.word_label"), key=key, max_chars=question.limit, on_change=_take(key, answer, question.read)
    )


def _take(key: str, answer: UrlValue[A], read: Callable[..., A] = lambda value: value) -> Callable[[], None]:
    return lambda: answer.set(read(st.session_state[key]))


_FACES: dict[str, Callable[..., None]] = {
    Cuts.kind: _render_cuts,
    Choice.kind: _render_choice,
    Numbers.kind: _render_numbers,
    Order.kind: _render_order,
    Word.kind: _render_word,
}
