"""In which round tokens are removed, by class: morphemes, stems with endings, tokens across eojeols."""

import streamlit as st

from app.parts.data_table import Columns, render_data
from app.parts.tables.classes import survival_table
from app.parts.tokens.token_class_filter import Kinds, kind_names
from app.session.models import ActiveModel
from app.texts.i18n import language, t
from app.views.rounds.figures.survival import SURVIVALS, survival_figure
from engine.measure.morphemes.token_classes import NONE


def render_survival(active: ActiveModel, kinds: Kinds | None, is_asked: bool) -> None:
    """Tokens kept by class, as shares and as counts; if the analysis is off, how to turn it on."""
    st.header(t("morpheme.survival.heading"))
    st.markdown(t("morpheme.survival.intro"))
    if not is_asked:
        st.caption(t("morpheme.survival.off"))
    if kinds is None:
        return
    table = survival_table(active.model, kinds.classes)
    for cell, column in zip(st.columns(len(SURVIVALS), gap="medium"), SURVIVALS, strict=True):
        figure = survival_figure(table, column, language())
        alt = t(f"morpheme.survival.{column}_title")
        cell.plotly_chart(figure, key=f"rounds.survival.{column}", alt=alt, config={"displaylogo": False})
    used = int((kinds.classes != NONE).sum())
    first = active.model.kept_rounds[0]
    st.caption(t("morpheme.survival.note", used=used, unused=kinds.classes.size - used, first=first))
    number = st.column_config.NumberColumn
    shown = table.assign(name=table["name"].map(kind_names()))
    columns: Columns = {
        "name": t("morpheme.survival.name"),
        "number": t("rounds.column.number"),
        "kept": number(t("morpheme.survival.kept"), format="localized"),
        "share": number(t("morpheme.survival.share"), format="percent"),
    }
    render_data("kinds-by-round", shown, columns, lambda: table, of=kinds.text)
