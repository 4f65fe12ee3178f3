"""The paradigm grid: stems by endings that the visitor chooses, under each tokenizer."""

from collections.abc import Mapping
from itertools import product

import pandas as pd
import streamlit as st

from app.parts.choices import url_field
from app.parts.data_table import headings
from app.parts.layout import Layout
from app.parts.problem import show_problem
from app.session import state
from app.session.models import ActiveTokenizer
from app.session.url import UrlValue, short_text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.morphology.chosen_gold import shown_or_said
from app.views.morphology.tables import UNUSUAL, grid_table, unusual_in_colour
from engine.errors import InputError
from engine.hangul.conjugation import conjugate
from engine.measure.morphemes.paradigm import Paradigm, paradigm

_STEMS = "먹 가 마시 만들 쓰 돕 듣 짓 하얗 빠르 하"
_ENDINGS = "고 (으)면 아/어서 았/었다 (으)ㄴ 습니다/ㅂ니다"
_MAX_WORDS, _MAX_CHARACTERS = 20, 200


def render_grid(view: Layout) -> None:
    """The grid of the first tokenizer; stems and endings to choose; how consistently each cuts them, and its grid."""
    with view.scrubber:
        left, right = st.columns(2)
        with left:
            stems = _words("stems", _STEMS)
        with right:
            endings = _words("endings", _ENDINGS)
    shown = shown_or_said(view)
    if not shown:
        return
    with view.picture:
        if not stems or not endings:
            st.info(t("morphology.grid.empty"), icon=":material/edit:")
            return
        grids = _grids(shown, stems, endings)
        if not grids:
            return
        first, *others = grids
        _render_one(first, grids[first], stems, endings)
    with view.sections:
        st.caption(f"{t('morphology.grid.note', mark=UNUSUAL)} {t('morphology.grid.why')}")
        _render_measures(grids)
        for title in others:
            _render_one(title, grids[title], stems, endings)


def _grids(shown: list[ActiveTokenizer], stems: list[str], endings: list[str]) -> dict[str, Paradigm]:
    """The grid of each tokenizer by its title; empty, and why, if a form does not exist."""
    try:
        for stem, ending in product(stems, endings):
            conjugate(stem, ending)
    except InputError as error:
        show_problem(t("morphology.grid.refused"), error)
        return {}
    grids: dict[str, Paradigm] = {}
    for active in shown:
        try:
            grids[active.title] = paradigm(active.model, stems, endings)
        except InputError as error:
            show_problem(active.title, error)
    return grids


def _render_one(title: str, grid: Paradigm, stems: list[str], endings: list[str]) -> None:
    st.subheader(plain(title), anchor=False)
    st.dataframe(unusual_in_colour(grid_table(grid, stems, endings)), height="content")


def _render_measures(grids: Mapping[str, Paradigm]) -> None:
    """How consistently each tokenizer cuts stems and endings."""
    names = ("ending_entropy", "stem_entropy", "usual")
    columns = headings("morphology.column", tokenizer="")
    columns |= headings("morphology.grid", ending_entropy="%.3f", stem_entropy="%.3f", usual="percent")
    rows = [{"tokenizer": title, **{name: getattr(grid, name) for name in names}} for title, grid in grids.items()]
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns, placeholder="–")


def _words(name: str, default: str) -> list[str]:
    """Distinct words separated by spaces; `stems=` and `endings=` in the URL."""
    url = UrlValue(name, f"morphology.{name}", short_text(_MAX_CHARACTERS), state.pack_text, default)
    about = t(f"morphology.grid.{name}_field_help")
    text = url_field(url, t(f"morphology.grid.{name}"), _MAX_CHARACTERS, about)
    return list(dict.fromkeys(text.split()))[:_MAX_WORDS]
