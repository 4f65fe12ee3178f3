"""The paradigm grid: stems by endings that the visitor chooses, under each tokenizer."""

from itertools import product
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.problem import show_problem
from app.session import state
from app.session.models import ActiveTokenizer
from app.session.url import UrlValue, short_text
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.morphology.tables import grid_table
from engine.errors import InputError
from engine.hangul.conjugation import conjugate
from engine.measure.morphemes.paradigm import Paradigm, paradigm

_STEMS = "먹 가 마시 만들 쓰 돕 듣 짓 하얗 빠르 하"
_ENDINGS = "고 (으)면 아/어서 았/었다 (으)ㄴ 습니다/ㅂ니다"
_MAX_WORDS, _MAX_CHARACTERS = 20, 200
_UNUSUAL = "≠"


def render_grid(shown: list[ActiveTokenizer]) -> None:
    """Choose stems and endings; how consistently each tokenizer cuts them, and its grid."""
    left, right = st.columns(2)
    with left:
        stems = _words("stems", _STEMS)
    with right:
        endings = _words("endings", _ENDINGS)
    if not stems or not endings:
        st.info(t("morphology.grid.empty"), icon=":material/edit:")
        return
    try:
        for stem, ending in product(stems, endings):
            conjugate(stem, ending)
    except InputError as error:
        show_problem(t("morphology.grid.refused"), error)
        return
    grids: dict[str, Paradigm] = {}
    for active in shown:
        try:
            grids[active.title] = paradigm(active.model, stems, endings)
        except InputError as error:
            show_problem(active.title, error)
    if not grids:
        return
    names = ("ending_entropy", "stem_entropy", "usual")
    columns: dict[str, Any] = {"tokenizer": t("morphology.column.tokenizer")}
    columns |= {
        name: st.column_config.NumberColumn(
            t(f"morphology.grid.{name}"),
            format="percent" if name == "usual" else "%.3f",
            help=t(f"morphology.grid.{name}_help"),
        )
        for name in names
    }
    rows = [{"tokenizer": title, **{name: getattr(grid, name) for name in names}} for title, grid in grids.items()]
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns, placeholder="–")
    st.caption(t("morphology.grid.note", mark=_UNUSUAL))
    for title, grid in grids.items():
        st.subheader(plain(title))
        st.dataframe(grid_table(grid, stems, endings, _UNUSUAL), height="content")


def _words(name: str, default: str) -> list[str]:
    """Distinct words separated by spaces; `stems=` and `endings=` in the URL."""
    url = UrlValue(name, f"morphology.{name}", short_text(_MAX_CHARACTERS), state.pack_text, default)
    url.adopt()
    text = st.text_input(
        t(f"morphology.grid.{name}"),
        key=url.key,
        max_chars=_MAX_CHARACTERS,
        persist_state="session",
        help=t(f"morphology.grid.{name}_field_help"),
    )
    url.publish(text)
    return list(dict.fromkeys(text.split()))[:_MAX_WORDS]
