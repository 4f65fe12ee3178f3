"""The leader board: F1 over fertility as a figure and every measure as a table; and the numbers that are stored."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.data_table import render_data
from app.session.models import ActiveTokenizer
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.morphology.figures import tradeoff_figure
from app.views.morphology.tables import MEASURES, points_table, scores_table
from engine.measure.tradeoff import Point
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.shipped.catalogue import SHIPPED
from engine.shipped.morphology import stored_facts, stored_scores


def render_table(table: pd.DataFrame, paths: Mapping[str, Sequence[Point]], chosen: Sequence[str]) -> None:
    """A `scores_table`.

    Parameters
    ----------
    paths : points of a tokenizer by its name.
    chosen : the names that have a colour of their own in the figure.
    """
    points = points_table(paths)
    st.plotly_chart(
        tradeoff_figure(table, points, chosen, language()), key="morphology.figure", config={"displaylogo": False},
        alt=t("morphology.figure.title"),
    )  # fmt: skip
    columns: dict[str, Any] = {"tokenizer": t("morphology.column.tokenizer")}
    for name in ("fertility", *MEASURES):
        columns[name] = st.column_config.NumberColumn(
            t(f"morphology.column.{name}"), format="%.3f", help=t(f"morphology.help.{name}")
        )
    columns["interval"] = t("morphology.column.interval")
    st.dataframe(table, hide_index=True, column_order=list(columns), column_config=columns, placeholder="–")
    render_data("morphology", table, columns)
    if not points.empty:
        names = ("tokenizer", "vocab_size", "round", "fertility", "f1")
        render_data("morphology-points", points, {name: t(f"morphology.column.{name}") for name in names})


def render_stored(shown: list[ActiveTokenizer]) -> None:
    """All that is stored of a treebank that is not given away; what is chosen has its rounds and sizes."""
    stored, gold = stored_scores(), stored_facts()["gold"]
    st.caption(
        t("morphology.aligned", aligned=gold["aligned"], words=gold["eojeols"], sentences=gold["sentences"])
        + " " + t("morphology.stored", command=stored_facts()["command"])
    )  # fmt: skip
    missing = [active.title for active in shown if str(active.reference) not in stored]
    if missing:
        st.caption(t("morphology.not_stored", names=plain(", ".join(missing))))
    chosen = [str(active.reference) for active in shown if str(active.reference) in stored]
    names = {reference: _name(reference) for reference in stored}
    table = scores_table({names[one.reference]: _known(one.measures) for one in stored.values()})
    render_table(table, {names[one]: stored[one].points for one in chosen}, [names[one] for one in chosen])


def _name(reference: str) -> str:
    if reference.startswith(SHIPPED):
        return t(f"shipped.{reference.removeprefix(SHIPPED)}")
    return PUBLIC_TOKENIZERS[reference.removeprefix(PUBLIC)].title


def _known(measures: Mapping[str, float | None]) -> dict[str, float]:
    return {name: float("nan") if value is None else value for name, value in measures.items()}
