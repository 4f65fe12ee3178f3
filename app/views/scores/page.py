"""Scores: branching entropy, probability and their product, token by token, and what the vocabulary consists of."""

import streamlit as st

from app.parts.choices import round_slider, url_choice
from app.parts.data_table import headings, render_data
from app.parts.layout import heading, layout, render_figure
from app.parts.tables.composition import PAPER_SHARE, PAPER_SIZE, composition_table
from app.parts.tokenizers.active_model import active_model
from app.parts.tokenizers.cached import cached_catalogue
from app.server.remember import remember
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.scores.distributions import render_distributions
from app.views.scores.figures import composition_figure, special_forms_figure
from app.views.scores.scatter import render_scatter


@fragment
def render_composition(active: ActiveModel) -> None:
    """Both figures, and a sentence on the current round."""
    view = layout()
    catalogue = cached_catalogue(active)
    table = remember("composition", active.sha256, lambda: composition_table(active.model, catalogue), is_shared=True)
    with view.scrubber:
        number = round_slider(active.model.kept_rounds)
    with view.settings(t("scores.settings.composition", name=plain(active.title))):
        scales = {name: t(f"scores.composition.{name}") for name in ("share", "count")}
        scale = url_choice("scale", t("scores.composition.scale"), scales, "share")
    with view.picture:
        left, right = st.columns(2, gap="medium")
        figure = composition_figure(table, scale == "share", language())
        render_figure(figure, "scores.levels_chart", t("scores.composition.levels"), left)
        figure = special_forms_figure(table, language())
        render_figure(figure, "scores.forms_chart", t("scores.composition.forms"), right)
    now = table.set_index("number").loc[number]
    share = now["special"] / max(1, now["vocab_size"])
    with view.sections:
        left, right = st.columns(2, gap="medium")
        left.markdown(t("scores.composition.levels_note"))
        right.markdown(
            t(
                "scores.composition.forms_note",
                number=number,
                share=share,
                size=int(now["vocab_size"]),
                paper=PAPER_SHARE,
                paper_size=PAPER_SIZE,
            )
        )
        columns = headings("scores.composition.column", **dict.fromkeys(table, "localized"))
        render_data("composition", table, columns, of=active)


_VIEWS = {"scatter": render_scatter, "distributions": render_distributions, "composition": render_composition}

view = heading("scores", tuple(_VIEWS))
_VIEWS[view](active_model())
