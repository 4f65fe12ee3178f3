"""The composition of the Scores page: linguistic levels and special forms, round by round (the paper's Figure 1)."""

import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import render_data
from app.parts.tables.composition import PAPER_SHARE, PAPER_SIZE
from app.parts.tokenizers.cached import cached_composition
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.i18n import language, t
from app.views.scores.figures.composition import composition_figure
from app.views.scores.figures.special_forms import special_forms_figure


@fragment
def render_composition(active: ActiveModel, number: int) -> None:
    """Both figures, and a sentence on the page's round."""
    table = cached_composition(active.sha256, active.model)
    scales = {name: t(f"scores.composition.{name}") for name in ("share", "count")}
    scale = url_choice("scale", t("scores.composition.scale"), scales, "share")
    left, right = st.columns(2, gap="medium")
    with left:
        figure = composition_figure(table, scale == "share", language())
        st.plotly_chart(figure, key="scores.levels_chart", alt=t("scores.composition.levels"))
        st.markdown(t("scores.composition.levels_note"))
    with right:
        figure = special_forms_figure(table, language())
        st.plotly_chart(figure, key="scores.forms_chart", alt=t("scores.composition.forms"))
        now = table.set_index("number").loc[number]
        share = now["special"] / max(1, now["vocab_size"])
        st.markdown(
            t(
                "scores.composition.forms_note",
                number=number,
                share=share,
                size=int(now["vocab_size"]),
                paper=PAPER_SHARE,
                paper_size=PAPER_SIZE,
            )
        )
    names = {name: t(f"scores.composition.column.{name}") for name in table.columns}
    columns = {name: st.column_config.NumberColumn(text, format="localized") for name, text in names.items()}
    render_data("composition", table, columns, of=active)
