"""Keyword in context: a token's places in the corpus, and the way from a line to its lattice."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from app.components.kwic.widget import KWIC_LABELS, KwicPlace, kwic
from app.components.shared.component import showable
from app.parts.active_model import render_text_note
from app.parts.choices import set_choice, url_choice
from app.parts.data_table import download_tsv
from app.parts.page_links import lattice_link, token_link
from app.parts.tables.concordance import (
    CONTEXT,
    LEAST_PROBABILITY,
    MAX_LINES,
    SORTS,
    WAYS,
    Concordance,
    concordance,
    search_concordance,
    sort_concordance,
    text_concordance,
)
from app.parts.tables.tokens import shown
from app.session import state
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.session.url import UrlValue, short_text, whole_number
from app.texts.i18n import language, raw, t
from app.texts.plain import plain
from engine.corpus.normalize import normalize
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model import token_label

_MAX_ROWS = 500
_MAX_WANTED = 60  # characters of a search
_MAX_NAME = 40  # of a token in the name of a file
_PLACE = "kwic.place"
_CONTEXT = UrlValue("context", "kwic.context", short_text(_MAX_WANTED), state.pack_text, "")


class _View(NamedTuple):
    """What the controls say: one of WAYS, one of SORTS, and the text to be found in the context (empty: any)."""

    way: str
    order: str
    wanted: str


@fragment
def render_concordance(active: ActiveModel, rows: list[int], number: int, *, has_link: bool = True) -> None:
    """The concordance of the first of the rows, segmented by the vocabulary of a round.

    Parameters
    ----------
    has_link : whether a link leads to the token's own page.
    """
    st.subheader(t("scores.kwic.heading"))
    if not rows:
        st.caption(t("scores.kwic.none"))
        return
    render_text_note(active)
    if has_link:
        # The field keeps its token for the page on it.
        token_link()
    model, row = active.model, rows[0]
    view = _controls(model, row)
    died = int(model.died_in_round[row])
    if 0 <= died < number and view.way != "text":
        st.markdown(t("scores.kwic.dead", token=_label(model, row), died=died, number=number))
        return
    lines = active.text.lines()
    name = f"{_model_name(active)}-round-{number}-{_file_name(shown(token_label(model.tokens[row])))}"
    _render_places(
        lambda limit: concordance(model, lines, row, number, view.way, limit),
        _label(model, row),
        view,
        (number, row),
        f"kwic-{name}",
    )


@st.fragment
def render_text_concordance(active: ActiveModel, text: str) -> None:
    """The places of a text in the corpus, whatever its tokens there."""
    st.subheader(t("scores.kwic.heading"))
    render_text_note(active)
    form = active.model.settings.normalization
    text = normalize(text, form)
    with st.container(horizontal=True, gap="medium", key="scores.kwic_controls"):
        order = _order("text")
        wanted = _wanted(form)
    lines = active.text.lines()
    _render_places(
        lambda limit: text_concordance(lines, form, text, limit),
        plain(shown(text)),
        _View("text", order, wanted),
        (text,),
        f"kwic-text-{_file_name(shown(text))}",
    )


def _render_places(
    find: Callable[[int | None], Concordance], name: str, view: _View, of: tuple[object, ...], file: str
) -> None:
    """How many places there are, the list of them, its file, and the line that is picked.

    Parameters
    ----------
    find : makes the concordance from at most so many lines; None: from all.
    name : of what is looked for, plain for Markdown.
    of : tells one list from another, with the view.
    file : name of the file, without its ending.
    """
    found = find(MAX_LINES)
    table = _arranged(found.table, view)
    _report(found, table, name, view.way)
    if table.empty:
        return
    picked = _list(table.head(_MAX_ROWS), (*of, *view), view)
    if len(table) > _MAX_ROWS:
        st.caption(t("scores.kwic.first", shown=_MAX_ROWS, count=len(table)))
    download_tsv(
        file,
        lambda: _arranged(find(None).table, view),
        t("scores.kwic.tsv"),
        t("scores.kwic.tsv_help", context=CONTEXT),
    )
    if picked is None:
        st.caption(t("scores.kwic.pick"))
    else:
        _sentence(int(table["line"].iloc[picked]), table["sentence"].iloc[picked])


def _model_name(active: ActiveModel) -> str:
    return f"{active.model.settings.algorithm}-{active.model.vocab_size}"


def _file_name(token: str) -> str:
    """A token as part of a file's name, on any system."""
    return re.sub(r"[^\w␣.-]", "_", token)[:_MAX_NAME]


def _label(model: PrunedTokenizer, row: int) -> str:
    return plain(shown(token_label(model.tokens[row])))


def _controls(model: PrunedTokenizer, row: int) -> _View:
    with st.container(horizontal=True, gap="medium", key="scores.kwic_controls"):
        # The parts of a character have no place of their own in a lattice.
        offered = [name for name in WAYS if name != "expected" or _is_whole(model.tokens[row])]
        ways = {name: t(f"scores.kwic.as_{name}") for name in offered}
        way = url_choice("kwic", t("scores.kwic.what"), ways, "token")
        return _View(way, _order(way), _wanted(model.settings.normalization))


def _order(way: str) -> str:
    sorts = {name: t(f"scores.kwic.sort_{name}") for name in SORTS if name != "probability" or way == "expected"}
    return url_choice("sort", t("scores.kwic.sort"), sorts, "right")


def _wanted(form: str) -> str:
    """What is to stand in the context, normalized and shown as the lines are."""
    _CONTEXT.adopt()
    label = t("scores.kwic.search")
    wanted = st.text_input(label, key=_CONTEXT.key, max_chars=_MAX_WANTED, persist_state="session") or ""
    _CONTEXT.publish(wanted)
    return showable(normalize(unicodedata.normalize("NFC", wanted), form))


def _report(found: Concordance, table: pd.DataFrame, token: str, way: str) -> None:
    """How many places there are, and in what they were looked for."""
    parts = [t("scores.kwic.found", token=token, count=len(table), lines=found.n_lines)]
    if found.n_examined < found.n_lines:
        parts.append(t("scores.kwic.sampled", examined=found.n_examined))
    if way == "expected":
        parts.append(t("scores.kwic.expected_note", least=LEAST_PROBABILITY, total=table["probability"].sum()))
    st.markdown(" ".join(parts))


def _list(table: pd.DataFrame, of: tuple[object, ...], view: _View) -> int | None:
    """Draw the lines. Returns the one that is picked; `of` tells one list from another."""
    picked = _picked(of, len(table))
    kwic(
        "scores.kwic",
        _places(table, view.way == "expected"),
        {name: raw(f"scores.kwic.label.{name}") for name in KWIC_LABELS},
        view.order,
        selected=picked,
        wanted=showable(view.wanted),
        on_pick=lambda index: st.session_state.update({_PLACE: (of, index)}),
        on_sort=lambda order: set_choice("sort", order),
        ui_lang=language(),
    )
    return picked


def _sentence(number: int, sentence: str) -> None:
    """A picked line, and the way to its lattice."""
    with st.container(border=True, key="scores.kwic_sentence"):
        st.caption(t("scores.kwic.line_number", number=number))
        st.text(sentence)
        lattice_link("kwic", sentence, t("scores.kwic.lattice"))


def _picked(of: tuple[object, ...], size: int) -> int | None:
    """The place that was picked, counted from 0; `place=<number from 1>` in the URL.

    It is a place of one list: where token, order or search are others, nothing is picked.
    """

    def decode(text: str) -> tuple[tuple[object, ...], int] | None:
        number = whole_number(text)
        return None if number is None else (of, number - 1)

    place = UrlValue("place", _PLACE, decode, lambda place: str(place[1] + 1), (of, -1))
    list_of, index = place.adopt()
    picked = index if list_of == of and 0 <= index < size else None
    place.publish((of, -1 if picked is None else picked))
    return picked


def _places(table: pd.DataFrame, with_probability: bool) -> list[KwicPlace]:
    columns = ["line", "left", "token", "right", *(["probability"] if with_probability else [])]
    records: Any = table[columns].to_dict("records")
    return list(records)


def _is_whole(token: bytes) -> bool:
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


def _arranged(table: pd.DataFrame, view: _View) -> pd.DataFrame:
    return sort_concordance(search_concordance(table, view.wanted), view.order)
