"""Which tokens depend on chance: resamples of the training text, a section of the page One token."""

import json
from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.choices import action_button, set_choice
from app.parts.data_table import render_data
from app.parts.figures.base import Plot, level_names
from app.parts.figures.charts import Series, bars, chart, lines, single, split
from app.parts.figures.styles import LEVEL_STYLES
from app.parts.layout import layout, render_figure
from app.parts.tables.tokens import BYTE
from app.parts.tokenizers.active_model import offer_builtin
from app.parts.tokenizers.cached import cached_round
from app.parts.tokenizers.job_progress import render_training
from app.server.work.jobs import registry
from app.server.work.training import Resampling
from app.session import state
from app.session.models import ActiveModel
from app.session.titles import text_title
from app.texts.catalogue import translate
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.token.tables import by_length, by_rank, distribution, with_kept
from engine.measure.stability import N_RESAMPLES, Stability


def resampling_of(active: ActiveModel) -> Resampling | None:
    """The work for a model; None if its text is not available."""
    return None if active.source is None else Resampling(active.source, active.model.settings)


def found_stability(active: ActiveModel) -> Stability | None:
    """The result, if any visitor had it computed on this server."""
    asked = resampling_of(active)
    path = asked and registry().models.find(asked.key)
    if not path:
        return None
    with suppress(OSError, ValueError, TypeError):  # removed by a clean-up of temporary files
        found = Stability(**json.loads(path.read_text()))
        # Another version of the program may give the model other ids.
        return found if len(found.kept) == active.model.vocab_size else None
    return None


def is_resampling_begun(asked: Resampling) -> bool:
    return asked.key in st.session_state.get(state.RESAMPLED, ())


def begin_resampling(asked: Resampling) -> None:
    st.session_state.setdefault(state.RESAMPLED, set()).add(asked.key)


_HEIGHT = 380
_SHARE = {"tickformat": ".0%", "range": [0, 1.02]}


_FIRM, _SHAKY = 1.0, 0.5


def render_stability(active: ActiveModel) -> None:
    """The figures; before their data exist, a button that starts the worker."""
    view = layout()
    asked, found = resampling_of(active), found_stability(active)
    if active.source is None or asked is None or found is None:
        with view.picture:
            if active.source is None or asked is None:
                st.info(t("token.stability.no_text"), icon=":material/link_off:")
                offer_builtin()
            else:
                _render_job(asked)
        view.sections.markdown(t("token.stability.about", count=N_RESAMPLES))
        return
    table = cached_round(active, active.model.last_round)
    # Single bytes are not a result: every training keeps them.
    table = with_kept(table[table["fate"] != BYTE], active.model.ids, found)
    with view.picture:
        figure = kept_figure(distribution(table, found.n_resamples), found.n_resamples, language())
        render_figure(figure, "token.stability.distribution", t("token.stability.distribution"))
    with view.sections:
        _render_found(active, active.source, table, found)


def _render_found(active: ActiveModel, source: Text, table: pd.DataFrame, found: Stability) -> None:
    """What the resamples say, by length and by rank of a token."""
    st.markdown(t("token.stability.about", count=N_RESAMPLES))
    share = table["kept"] / found.n_resamples
    st.markdown(
        t(
            "token.stability.found",
            count=found.n_resamples,
            tokens=len(table),
            text=plain(text_title(source.id, source)),
            firm=float((share >= _FIRM).mean()),
            shaky=float((share < _SHAKY).mean()),
            mean=float(share.mean()),
        )
    )
    word = t(f"fertility.word.{found.definition}")
    st.markdown(t("token.stability.fertility", word=word, mean=found.fertility, low=found.low, high=found.high))
    if min(found.sizes) < active.model.vocab_size:
        st.caption(t("token.stability.smaller", size=min(found.sizes)))
    n, lang = found.n_resamples, language()
    left, right = st.columns(2, gap="medium")
    with left:
        lengths = by_length(table, n)
        figure = kept_by_length_figure(lengths, lang)
        render_figure(figure, "token.stability.length", t("token.stability.length"))
    with right:
        figure = kept_by_rank_figure(by_rank(table, n), lang)
        render_figure(figure, "token.stability.rank", t("token.stability.rank"))
    columns: dict[str, Any] = {name: t(f"token.stability.column.{name}") for name in lengths.columns}
    columns["share"] = st.column_config.NumberColumn(columns["share"], format="percent")
    render_data("stability", lengths.assign(level=lengths["level"].map(_level)), columns, of=active)
    label, key = t("token.stability.browse"), "token.stability.browse"
    action_button(label, key, ":material/search:", set_choice, "view", "vocabulary")


def _level(level: str) -> str:
    return t(f"figure.level.{level}")


def _render_job(asked: Resampling) -> None:
    if is_resampling_begun(asked):
        render_training(asked)
        return
    label, key = t("token.stability.begin", count=N_RESAMPLES), "token.stability.begin"
    action_button(label, key, ":material/shuffle:", begin_resampling, asked, is_main=True)


def kept_figure(table: pd.DataFrame, n_resamples: int, language: str) -> Plot:
    """Bars of a `distribution`, one colour per level."""
    hover = "%{x}: %{y:,}<extra>%{fullData.name}</extra>"
    xaxis = {
        "title": translate("token.stability.axis.kept", language, count=n_resamples),
        "dtick": max(1, n_resamples // 10),
    }
    yaxis = {"title": translate("token.stability.axis.tokens", language), "tickformat": ",d"}
    title = translate("token.stability.distribution", language)
    traces = bars(_by_level(table, language), "kept", "count", hover)
    return chart(traces, title, language, _HEIGHT, barmode="stack", bargap=0.15, xaxis=xaxis, yaxis=yaxis)


def kept_by_length_figure(table: pd.DataFrame, language: str) -> Plot:
    """Lines of `by_length`, one per level."""
    hover = "%{x}: %{y:.1%} (%{customdata:,})<extra>%{fullData.name}</extra>"
    traces = lines(_by_level(table, language), "n_chars", "share", hover, width=2, size=9, customdata="tokens")
    xaxis = {"title": translate("token.stability.axis.length", language), "dtick": 1}
    yaxis = {"title": translate("token.stability.axis.share", language), **_SHARE}
    return chart(traces, translate("token.stability.length", language), language, _HEIGHT, xaxis=xaxis, yaxis=yaxis)


def kept_by_rank_figure(table: pd.DataFrame, language: str) -> Plot:
    """The line of `by_rank`."""
    traces = lines(single(table), "rank", "share", "≤ %{x:,}: %{y:.1%}", width=2, size=9)
    xaxis = {"title": translate("token.stability.axis.rank", language), "tickformat": ",d", "rangemode": "tozero"}
    yaxis = {"title": translate("token.stability.axis.share", language), **_SHARE}
    title = translate("token.stability.rank", language)
    return chart(traces, title, language, _HEIGHT, showlegend=False, xaxis=xaxis, yaxis=yaxis)


def _by_level(table: pd.DataFrame, language: str) -> list[Series]:
    return split(table, "level", level_names(language), LEVEL_STYLES)
