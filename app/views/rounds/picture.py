"""What moves with the round: the sentence, the scores with the threshold, and the token in view."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.parts.figures.early import early_figure
from app.parts.figures.scatter import SMALL_HEIGHT, scatter_figure, scatter_ranges
from app.parts.figures.token_life import token_life_figure
from app.parts.tables.tokens import frontier, least_log10_p
from app.parts.tokenizers.cached import cached_extents, cached_round
from app.parts.tokens.page_links import token_link
from app.session.models import ActiveModel
from app.texts.i18n import language, t
from app.views.rounds.life import life_sentence

_FLAT = {"displayModeBar": False}


def render_figures(active: ActiveModel, number: int, unit: str, lives: Mapping[str, pd.DataFrame]) -> None:
    """The scores of the round, and beside them the lives of the tokens in view.

    Parameters
    ----------
    lives : `token_life` tables by token, the first one the token that is marked among the scores.
    """
    left, right = st.columns(2, gap="medium")
    table = cached_round(active.sha256, number, active.model)
    cut = frontier(active.model, number, table)
    ranges = scatter_ranges(cached_extents(active.sha256, active.model), least_log10_p(active.model))
    scores = scatter_figure(table, cut, ranges, unit, language(), chosen=next(iter(lives)), is_small=True)
    left.plotly_chart(scores, key="rounds.scores", alt=t("rounds.scores_alt", number=number), config=_FLAT)
    with right:
        figure = token_life_figure(lives, language(), number, SMALL_HEIGHT)
        st.plotly_chart(figure, key="rounds.life_chart", alt=t("rounds.life.chart"), config=_FLAT)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="rounds.life_told"):
        with st.container(gap="xsmall", width="content"):
            for token, life in lives.items():
                st.markdown(life_sentence(active, token, life, unit))
        token_link()


def render_early(active: ActiveModel, number: int, unit: str) -> None:
    """A round whose tokens a compact model does not keep: the distribution of the score that pruned it."""
    model = active.model
    score, first = model.settings.score, model.first_round
    st.info(t("figure.compact", first=first, before=first - 1), icon=":material/inventory_2:")
    extent = cached_extents(active.sha256, model)[score]
    figure = early_figure(model.history[number].histograms[score], score, extent, unit, language())
    st.plotly_chart(figure, key="rounds.early", alt=t(f"scores.histogram.{score}"), config=_FLAT)
