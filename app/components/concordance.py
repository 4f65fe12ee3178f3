"""Keyword in context: a token's places in the corpus, and the way from a line to its lattice."""

import unicodedata

import pandas as pd
import streamlit as st

from app.components.choices import url_choice
from app.components.data_table import download_tsv
from app.i18n import t
from app.models import ActiveModel
from app.tables.concordance import (
    LEAST_PROBABILITY,
    SORTS,
    WAYS,
    concordance,
    search_concordance,
    sort_concordance,
)
from app.tables.tokens import shown
from app.text import plain
from engine.corpus.normalize import normalize
from engine.unigram.model import token_label

_MAX_ROWS = 500
# The Lattice page keeps its sentence here.
_LATTICE_TEXT, _LATTICE_PAGE = "lattice.text", "views/lattice.py"


def render_concordance(active: ActiveModel, rows: list[int], number: int) -> None:
    """The concordance of the first of the rows, segmented by the vocabulary of a round."""
    st.subheader(t("scores.kwic.heading"))
    if not rows:
        st.caption(t("scores.kwic.none"))
        return
    if active.source is None:
        st.info(t("scores.kwic.no_corpus"), icon=":material/description:")
        return
    row = rows[0]
    token = plain(shown(token_label(active.model.tokens[row])))
    # The field keeps its token for the page on it.
    st.page_link("views/token.py", label=t("token.open"), icon=":material/token:")
    died = int(active.model.died_in_round[row])
    is_alive = died < 0 or died >= number
    with st.container(horizontal=True, gap="medium", key="scores.kwic_controls"):
        # The parts of a character have no place of their own in a lattice.
        offered = [name for name in WAYS if name != "expected" or _is_whole(active.model.tokens[row])]
        ways = {name: t(f"scores.kwic.as_{name}") for name in offered}
        way = url_choice("kwic", t("scores.kwic.what"), ways, "token")
        sorts = {name: t(f"scores.kwic.sort_{name}") for name in SORTS if name != "probability" or way == "expected"}
        order = url_choice("sort", t("scores.kwic.sort"), sorts, "right")
        wanted = st.text_input(t("scores.kwic.search"), key="context", bind="query-params", persist_state="session",
                               max_chars=60) or ""  # fmt: skip
    if not is_alive and way != "text":
        st.markdown(t("scores.kwic.dead", token=token, died=died, number=number))
        return
    model, lines = active.model, active.source.lines()
    found = concordance(model, lines, row, number, way)
    wanted = normalize(unicodedata.normalize("NFC", wanted), model.settings.normalization)
    table = _arranged(found.table, wanted, order)
    parts = [t("scores.kwic.found", token=token, count=len(table), lines=found.n_lines)]
    if found.n_examined < found.n_lines:
        parts.append(t("scores.kwic.sampled", examined=found.n_examined))
    if way == "expected":
        parts.append(t("scores.kwic.expected_note", least=LEAST_PROBABILITY, total=table["probability"].sum()))
    st.markdown(" ".join(parts))
    if table.empty:
        return
    key = f"scores.kwic.{number}.{row}.{way}.{order}.{wanted}"
    config = {
        "line": st.column_config.NumberColumn(t("scores.kwic.line"), format="localized", width="small"),
        "left": st.column_config.TextColumn(t("scores.kwic.left"), alignment="right", width="large"),
        "token": st.column_config.TextColumn(t("figure.column.token"), alignment="center", width="small"),
        "right": st.column_config.TextColumn(t("scores.kwic.right"), width="large"),
    }
    if way == "expected":
        config["probability"] = st.column_config.NumberColumn("P", format="%.4f", width="small")
    event = st.dataframe(
        table.head(_MAX_ROWS),
        hide_index=True,
        height=min(38 + 35 * len(table), 400),
        column_order=list(config),
        column_config=config,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt=t("scores.kwic.heading"),
    )
    download_tsv(
        f"kwic-round-{number}",
        lambda: _arranged(concordance(model, lines, row, number, way, limit=None).table, wanted, order),
        t("scores.kwic.tsv"),
    )
    picked = [index for index in event.selection.rows if index < len(table)]
    if not picked:
        st.caption(t("scores.kwic.pick"))
        return
    sentence = table["sentence"].iloc[picked[0]]
    with st.container(border=True, key="scores.kwic_sentence"):
        st.text(sentence)
        # A link cannot carry a value to the session, so the sentence waits there for whoever follows it.
        st.session_state[_LATTICE_TEXT] = sentence
        st.page_link(_LATTICE_PAGE, label=t("scores.kwic.lattice"), icon=":material/account_tree:")


def _is_whole(token: bytes) -> bool:
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


def _arranged(table: pd.DataFrame, wanted: str, order: str) -> pd.DataFrame:
    return sort_concordance(search_concordance(table, wanted), order)
