"""F1 over fertility as the picture, all measures as a table; and the stored results."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.data_table import in_bold, render_data, say_bold
from app.parts.layout import Layout
from app.session.models import ActiveTokenizer
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.morphology.figures import tradeoff_figure
from app.views.morphology.tables import MEASURES, points_table, scores_table
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.evidence.treebank import stored_facts, stored_scores
from engine.measure.morphemes.analysis import OWN_TAGS
from engine.measure.morphemes.tradeoff import TradeoffPoint
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.shipped.catalogue import SHIPPED

_AGAINST = ("from_best", "from_best_low", "from_best_high", "from_best_p", "best")


def render_board(
    view: Layout,
    table: pd.DataFrame,
    paths: Mapping[str, Sequence[TradeoffPoint]],
    chosen: Sequence[str],
    of: Text | str,
) -> None:
    """A `scores_table`: its figure is the picture, its numbers are below.

    Parameters
    ----------
    paths : points of a tokenizer, by its name.
    chosen : the names highlighted in colour in the figure.
    of : the gold's text, or its fingerprint.
    """
    points = points_table(paths)
    with view.picture:
        st.plotly_chart(
            tradeoff_figure(table, points, chosen, language()),
            key="morphology.figure",
            config={"displaylogo": False},
            alt=t("morphology.figure.title"),
        )
    with view.sections:
        _render_numbers(table, points, of)


def _render_numbers(table: pd.DataFrame, points: pd.DataFrame, of: Text | str) -> None:
    """A `scores_table` and a `points_table`."""
    columns: dict[str, Any] = {"tokenizer": t("morphology.column.tokenizer")}
    for name in ("fertility", *MEASURES):
        columns[name] = st.column_config.NumberColumn(
            t(f"morphology.column.{name}"), format="%.3f", help=t(f"morphology.help.{name}")
        )
    columns["interval"] = t("morphology.column.interval")
    is_best = table[["best"]].set_axis(["f1"], axis=1)
    st.dataframe(
        in_bold(table, is_best), hide_index=True, column_order=list(columns), column_config=columns, placeholder="–"
    )
    say_bold(is_best)
    st.caption(t("morphology.predicts"))
    against = {name: t(f"morphology.column.{name}") for name in _AGAINST}
    render_data("morphology", table, columns | against, of=of, bold=is_best)
    if not points.empty:
        names = ("tokenizer", "vocab_size", "round", "fertility", "f1")
        render_data("morphology-points", points, {name: t(f"morphology.column.{name}") for name in names}, of=of)


def tags_text(tags_of: str | None) -> str:
    if tags_of in ANALYSERS:
        return t("morphology.tags.program", program=ANALYSERS[tags_of].title)
    return t("morphology.tags.gold" if tags_of == OWN_TAGS else "morphology.tags.none")


def render_stored(view: Layout, shown: list[ActiveTokenizer]) -> None:
    """The stored results on a treebank that cannot be redistributed; rounds and sizes for the selection."""
    stored, gold = stored_scores(), stored_facts()["gold"]
    chosen = [str(active.reference) for active in shown if str(active.reference) in stored]
    names = {reference: _name(reference) for reference in stored}
    table = scores_table({names[one.reference]: one.measures for one in stored.values()})
    points = {names[one]: stored[one].points for one in chosen}
    render_board(view, table, points, [names[one] for one in chosen], gold["sha256"])
    missing = [active.title for active in shown if str(active.reference) not in stored]
    with view.sections:
        if missing:
            st.caption(t("morphology.not_stored", names=plain(", ".join(missing))))
        st.caption(
            t("morphology.aligned", aligned=gold["aligned"], words=gold["eojeols"], sentences=gold["sentences"])
            + " "
            + tags_text(gold["tags_of"])
            + " "
            + t("morphology.unaligned", count=gold["eojeols"] - gold["aligned"], distinct=gold["unaligned"])
            + "."
            + " "
            + t("morphology.stored", command=stored_facts()["command"])
        )


def _name(reference: str) -> str:
    if reference.startswith(SHIPPED):
        return t(f"shipped.{reference.removeprefix(SHIPPED)}")
    return PUBLIC_TOKENIZERS[reference.removeprefix(PUBLIC)].title
