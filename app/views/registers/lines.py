"""The lines of a sub-corpus in which a type stands."""

from typing import Any

import pandas as pd
import streamlit as st

from app.components.concordance import kwic
from app.components.data import KwicPlace
from app.concordance.tables import sort_concordance, with_files
from app.parts.data_table import download_tsv
from app.parts.tokens.page_links import lattice_link
from app.server.remember import remember
from app.session.page_run import fragment
from app.session.titles import titled_files
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import t
from app.texts.plain import plain
from app.views.registers.choice import Chosen, ChosenUnit
from app.views.registers.tables import unit_concordance
from engine.measure.corpus_units import CorpusUnits

_PICKED, _ORDER = "registers.line", "registers.order"


@fragment
def render_lines(chosen: Chosen, unit: ChosenUnit, units: CorpusUnits, picked: pd.Series) -> None:
    """The lines of the sub-corpus where the picked row is key, and a picked line with its lattice."""
    group, kind = str(picked["group"]), int(picked["type"])
    own = chosen.groups[group]
    key = (chosen.text.digest, unit.key, own, kind)
    found = remember("registers_lines", key, lambda: unit_concordance(units, chosen.text.lines(), own, kind, unit.unit))
    order = st.session_state.get(_ORDER, "corpus")
    table = with_files(sort_concordance(found.table, [order]), titled_files(chosen.text))
    st.subheader(t("registers.lines", label=plain(str(picked["label"])), group=plain(group)), anchor=False)
    if found.n_examined < found.n_lines:
        st.caption(t("scores.kwic.sampled", examined=found.n_examined, lines=found.n_lines))
    index = st.session_state.get(_PICKED, (None, -1))
    at = index[1] if index[0] == (key, order) and 0 <= index[1] < len(table) else None
    records: Any = table.assign(line=table["file_line"])[["line", "file", "left", "token", "right"]].to_dict("records")
    places: list[KwicPlace] = records
    kwic(
        "registers.kwic",
        places,
        [order],
        selected=at,
        on_pick=lambda row: st.session_state.update({_PICKED: ((key, order), row)}),
        on_sort=lambda wish: st.session_state.update({_ORDER: wish}),
        lang=TEXT_LANGUAGE,
    )
    download_tsv(
        "registers-lines",
        lambda: table.drop(columns=["begin", "end", "probability"]),
        t("scores.kwic.tsv"),
        of=chosen.text,
    )
    if at is not None:
        place = table.iloc[at]
        with st.container(border=True, key="registers.sentence"):
            st.caption(t("scores.kwic.file_line", file=plain(place["file"]), number=place["file_line"]))
            st.text(place["sentence"])
            under = str(unit.active.reference) if unit.active is not None else ""
            lattice_link("registers", place["sentence"], t("scores.kwic.lattice"), under)
