"""Where a token's branching entropy comes from: its sentences, and other definitions of branching entropy."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_row
from app.parts.data_table import download_csv, draw_table, headings, render_data
from app.parts.figures.base import HEIGHT, Plot, nothing_to_show, upright_line
from app.parts.figures.charts import bars, chart, dots, single
from app.parts.figures.styles import GREY, Style, filled
from app.parts.layout import render_figure
from app.parts.tables.tokens import visible
from app.parts.tables.units import per_nat
from app.parts.tokens.token_field import lattice_link
from app.server.remember import remember
from app.session import state
from app.session.models import ActiveModel
from app.session.page_run import fragment
from app.session.url import UrlValue, short_text
from app.texts.corpora import Text
from app.texts.i18n import language, t
from app.views.token.tables import (
    MAX_SENTENCES,
    MEMBERSHIPS,
    SentenceShares,
    entropy_scatter,
    growth_of_prefix,
    sampled_shares,
    sentence_shares,
)
from engine.measure.contexts import contexts_of
from engine.pictures.palette import BLUE, VERMILLION
from engine.unigram.model.model import token_label

_N_LABELLED = 12


_N_BARS, _MAX_PREFIX = 25, 24


def _shares(active: ActiveModel, row: int, number: int, context: str) -> dict[str, SentenceShares] | None:
    """Shares by membership, cached for the most recent tokens."""
    source = active.text
    return remember(
        "token.shares",
        (active.sha256, source.digest, row, number, context),
        lambda: sentence_shares(active.model, source.lines(), row, number, context),
        limit=16,
        waiting=t("token.reading"),
    )


@fragment
def render_sentences(active: ActiveModel, row: int, number: int, unit: str) -> None:
    """P(y|x) as bars, and the share of BE of the largest."""
    st.subheader(t("token.sentences"))
    st.markdown(t("token.sentences_text"))
    left, right = st.columns(2)
    with left:
        memberships = {name: t(f"train.membership.{name}") for name in MEMBERSHIPS}
        membership = url_choice("membership", t("train.membership.label"), memberships, "inclusion")
    with right:
        contexts = {name: t(f"train.context.{name}") for name in ("sentence", "pretoken")}
        context = url_choice("over", t("train.context.label"), contexts, "sentence")
    every = _shares(active, row, number, context)
    if every is None:
        st.info(t("token.too_many", limit=MAX_SENTENCES), icon=":material/functions:")
        settings = active.model.settings
        # Its shares are fractions of what the round counted in the training text.
        if active.source is not None and (membership, context) == (settings.membership, settings.context):
            _render_sample(active, row, number, unit)
        return
    found = every[membership]
    if found.table.empty:
        st.caption(t("token.no_sentence"))
        return
    factor = per_nat(unit)
    st.markdown(
        t(
            "token.entropy",
            be=found.entropy * factor,
            unit=t(f"figure.unit.{unit}"),
            count=len(found.table),
            share=100 * found.top_ten if found.entropy else 100.0,
        )
    )
    title = t("token.shares_title")
    figure = shares_figure(found.table.head(_N_BARS), title, t("token.share_axis"), language())
    render_figure(figure, "token.shares_figure", title)
    _render_sentence_table(found.table, active.text, unit)
    sentences = [text[:80] for text in found.table["sentence"].head(_N_BARS)]
    picked = url_row("which", t("token.sentence"), sentences, of=f"{row}.{number}.{membership}.{context}")
    if context == "sentence":
        lattice_link("sentence", found.table["sentence"].iloc[picked].replace("␣", " "), t("explore.token.lattice"))
    _render_variants(active, row, number, unit)


def _render_sample(active: ActiveModel, row: int, number: int, unit: str) -> None:
    """For a token in too many contexts: the first of the sampled ones, and the distribution of P(y|x)."""
    source = active.text
    found = remember(
        "token.sample",
        (active.sha256, row, number),
        lambda: sampled_shares(active.model, source.lines(), row, number),
        limit=16,
        waiting=t("token.reading"),
    )
    st.markdown(t("token.sampled", count=len(found.table), total=found.n_contexts))
    title = t("token.shares_title")
    figure = shares_figure(found.table.head(_N_BARS), title, t("token.share_axis"), language())
    render_figure(figure, "token.shares_figure", title)
    title = t("token.surprisal_title")
    axes = (t("token.surprisal_axis", unit=t(f"figure.unit.{unit}")), t("token.surprisal_count"))
    figure = surprisal_figure(found.table["share"], found.entropy, per_nat(unit), title, axes, language())
    render_figure(figure, "token.surprisal", title)
    st.caption(t("token.surprisal_note", be=found.entropy * per_nat(unit), unit=t(f"figure.unit.{unit}")))
    _render_sentence_table(found.table, source, unit)


def _render_sentence_table(table: pd.DataFrame, text: Text, unit: str) -> None:
    """The contexts with their shares, in the page's unit."""
    name = t(f"figure.unit.{unit}")
    columns = ("sentence", "count", "marginal", "share", "part")
    scaled = table.assign(part=table["part"] * per_nat(unit))
    titles = {one: t(f"token.column.{one}", unit=name) for one in columns}
    render_data(f"token-sentences-{unit}", scaled, titles, of=text)


def _render_variants(active: ActiveModel, row: int, number: int, unit: str) -> None:
    """BE under both memberships and both contexts, and the classical measures."""
    factor = per_nat(unit)
    rows = []
    for membership in MEMBERSHIPS:
        for context in ("sentence", "pretoken"):
            found = _shares(active, row, number, context)
            name = f"BE · {t(f'train.membership.{membership}')} · {t(f'train.context.{context}')}"
            rows.append((name, None if found is None else found[membership].entropy * factor, t(f"figure.unit.{unit}")))
    text = active.model.tokens[row].decode(errors="ignore")
    lines = active.text.lines
    around = remember("token.contexts", (active.text.digest, text), lambda: contexts_of(text, lines()), limit=32)
    if text:
        rows += [
            (t("token.measure.left_entropy"), around.left_entropy * factor, t(f"figure.unit.{unit}")),
            (t("token.measure.right_entropy"), around.right_entropy * factor, t(f"figure.unit.{unit}")),
            (t("token.measure.variety"), float(min(around.left_variety, around.right_variety)), ""),
            (t("token.measure.cohesion"), around.cohesion, ""),
            (t("token.measure.count"), float(around.n), ""),
        ]
    table = pd.DataFrame(rows, columns=["measure", "value", "unit"])
    draw_table(table, headings("token.column", measure="", value="%.4g", unit=""), "token.variants")
    st.caption(t("token.variants_note"))


@fragment
def render_growth(active: ActiveModel, row: int, number: int, unit: str) -> None:
    """Frequency and entropy from prefix to prefix."""
    st.subheader(t("token.growth"))
    st.markdown(t("token.growth_text"))
    default = active.model.tokens[row].decode(errors="ignore")
    url = UrlValue("growth", f"token.growth.{row}", short_text(_MAX_PREFIX), state.pack_text, default)
    url.adopt()
    label = t("token.growth_field")
    text = st.text_input(label, key=url.key, max_chars=_MAX_PREFIX, persist_state="session") or default
    url.publish(text)
    if not text:
        return
    source = active.text
    table = remember(
        "token.growth",
        (active.sha256, source.digest, number, text),
        lambda: growth_of_prefix(active.model, source.lines(), text, number),
        limit=16,
    )
    factor = per_nat(unit)
    table = table.assign(**{name: table[name] * factor for name in ("left_entropy", "right_entropy", "be")})
    columns = headings(
        "token.column",
        {"unit": t(f"figure.unit.{unit}")},
        prefix="",
        count="localized",
        left_entropy="%.3f",
        right_entropy="%.3f",
        variety="%d",
        cohesion="%.3f",
        is_token=st.column_config.CheckboxColumn(),
        be="%.3f",
    )
    if active.source is None:
        del columns["be"]  # BE is of the training text, everything else of this text
    # A single character has no cohesion, and only tokens have BE.
    table = table[list(columns)]
    draw_table(table, columns, "token.growth")
    download_csv(f"prefixes-{unit}", lambda: table, of=source)


def _scatter(active: ActiveModel, source: Text, number: int) -> pd.DataFrame:
    """Shared for a built-in corpus; a visitor's own text must not stay in a cache that sessions share."""
    return remember(
        "token.scatter",
        (active.sha256, number),
        lambda: entropy_scatter(active.model, source.lines(), number),
        limit=16 if source.is_builtin else 4,
        is_shared=source.is_builtin,
        waiting=t("token.measuring"),
    )


def render_scatter(active: ActiveModel, source: Text, row: int, number: int, unit: str) -> None:
    """Sentence BE against right branching entropy over the vocabulary: the paper's argument about contexts.

    Both are computed on the training text: BE of one text is not comparable with entropies of another.
    """
    st.subheader(t("token.scatter"))
    st.markdown(t("token.scatter_text"))
    table = _scatter(active, source, number)
    factor = per_nat(unit)
    title = t("token.scatter_title")
    axes = (t("token.axis.right", unit=t(f"figure.unit.{unit}")), t("token.axis.be", unit=t(f"figure.unit.{unit}")))
    scaled = table.assign(be=table["be"] * factor, right_entropy=table["right_entropy"] * factor)
    figure = scatter_figure(scaled, visible(token_label(active.model.tokens[row])), title, axes, language())
    render_figure(figure, "token.scatter", title)
    columns = {
        name: t(f"token.column.{name}", unit=t(f"figure.unit.{unit}"))
        for name in ("token", "be", "right_entropy", "difference")
    }
    render_data(f"entropies-{unit}", scaled.sort_values("difference", ascending=False), columns, of=source)


def shares_figure(table: pd.DataFrame, title: str, axis: str, language: str) -> Plot:
    """P(y|x) of sentences, the largest on top."""
    if table.empty:
        return nothing_to_show(title, language)
    ranks = list(range(1, len(table) + 1))
    # The sentences are on the bars: next to them, they would leave no room for bars on a phone.
    labels = " " + table["sentence"].str.replace("␣", " ").str[:90]
    rows = single(table.assign(rank=ranks, label=labels, begin=0.0))
    hover, pale = "P(y|x) %{x:.3%} · P(x|y) %{customdata:.3f}", {"color": BLUE, "opacity": 0.35}
    traces = bars(rows, "share", "rank", hover, orientation="h", marker=pale, customdata="marginal")
    text: dict[str, Any] = {"mode": "text", "text": "label", "textposition": "middle right", "cliponaxis": True}
    traces += dots(rows, "begin", "rank", None, marker=None, **text)
    shares = {"title": axis, "tickformat": "~%", "nticks": 6, "rangemode": "tozero"}
    places = {"autorange": "reversed", "tickvals": ranks, "showgrid": False}
    return chart(traces, title, language, 110 + 26 * len(table), showlegend=False, xaxis=shares, yaxis=places)


def surprisal_figure(
    share: pd.Series, entropy: float, factor: float, title: str, axes: tuple[str, str], language: str
) -> Plot:
    """Histogram of -log P(y|x) of contexts, `factor` units per nat; a line at BE, their mean weighted by P(y|x)."""
    bits = {"type": "histogram", "x": -np.log(share) * factor, "nbinsx": 40, "marker": filled(BLUE)}
    bits["hovertemplate"] = "%{x}: %{y:,}<extra></extra>"
    line = upright_line(entropy * factor, VERMILLION, 2.5)
    name = {"x": entropy * factor, "y": 1, "yref": "y domain", "yanchor": "bottom", "text": "BE", "showarrow": False}
    layout: dict[str, Any] = {"showlegend": False, "bargap": 0.02, "shapes": [line], "annotations": [name]}
    layout |= {"xaxis": {"title": axes[0]}, "yaxis": {"title": axes[1]}}
    return chart([bits] if len(share) else [], title, language, 320, empty_height=HEIGHT, **layout)


def scatter_figure(table: pd.DataFrame, token: str, title: str, axes: tuple[str, str], language: str) -> Plot:
    """Scatter of an `entropy_scatter`; labels for the tokens whose two ranks differ most, and for the page's token."""
    if table.empty:
        return nothing_to_show(title, language)
    order = table.sort_values("difference")
    far = pd.concat([order.head(_N_LABELLED // 2), order.tail(_N_LABELLED // 2)])
    far = far.assign(label=far["token"].where(_free(far, table), ""))
    x, y, hover = "right_entropy", "be", "%{text}: %{x:.2f}, %{y:.2f}"
    cloud = single(table.astype({x: np.float32, y: np.float32}), Style(GREY))
    traces = dots(cloud, x, y, hover, size=5, opacity=0.45, type="scattergl", text="token")
    traces += dots(
        single(far, Style(VERMILLION, "diamond")),
        x,
        y,
        "%{customdata}: %{x:.2f}, %{y:.2f}",
        size=9,
        mode="markers+text",
        text="label",
        customdata="token",
        textposition="top center",
    )
    of_page = single(table[table["token"] == token], Style(BLUE, "star"))
    traces += dots(of_page, x, y, None, size=14, mode="markers+text", text="token", textposition="bottom center")
    return chart(traces, title, language, 520, showlegend=False, xaxis={"title": axes[0]}, yaxis={"title": axes[1]})


def _free(points: pd.DataFrame, table: pd.DataFrame) -> list[bool]:
    """Which points can have a label that covers none of a point nearer either end of the order."""
    width, height = (float(table[name].max() - table[name].min()) or 1.0 for name in ("right_entropy", "be"))
    taken: list[tuple[float, float]] = []
    free = [False] * len(points)
    x, y = points["right_entropy"].tolist(), points["be"].tolist()
    # The ranks differ most at both ends of the order.
    for k in sorted(range(len(points)), key=lambda k: min(k, len(points) - 1 - k)):
        if all(abs(x[k] - a) > 0.2 * width or abs(y[k] - b) > 0.06 * height for a, b in taken):
            taken.append((x[k], y[k]))
            free[k] = True
    return free
