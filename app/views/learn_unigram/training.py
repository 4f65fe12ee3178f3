"""The training of the Unigram lesson: EM over all segmentations, then pruning by loss."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import pandas as pd
import streamlit as st

from app.parts.choices import url_choice, url_number, url_slider
from app.parts.data_table import render_data
from app.parts.figures.base import Plot, nothing_to_show
from app.parts.figures.charts import chart, lines, single
from app.parts.layout import render_figure
from app.parts.tables.learn.unigram import rounds_table
from app.parts.tables.learn.unigram_frames import em_frames, em_iterations, example_word, pruning_frames
from app.parts.toy_words import words_text
from app.parts.url_stepper import url_stepper
from app.server.remember import remember
from app.session.page_run import fragment
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.toys.unigram import unigram_steps

_MAX_NAMED = 24


_ITERATIONS, _MAX_ROUNDS = 8, 120
_TARGET = "target"


@fragment
def render_em(words: Mapping[str, int], prob: Mapping[str, float]) -> None:
    """EM, iteration by iteration; `em_step` in the URL."""
    st.markdown(t("learn_unigram.em_text"))
    iterations = em_iterations(words, prob, _ITERATIONS)
    word = example_word(words, prob)
    frames = em_frames(words, prob, iterations, word, language())
    url_stepper("em_step", frames, (tuple(words.items()), tuple(prob)), t("learn_unigram.em_heading"))


@fragment
def render_pruning(words: Mapping[str, int], counts: Mapping[str, int]) -> None:
    """The rounds of pruning: `share`, `percent`, `em`, `target` and `prune_step` in the URL."""
    st.markdown(t("learn_unigram.pruning_text"))
    share, em, target = _settings(counts)
    of = (tuple(words.items()), tuple(counts.items()), target, share, em)
    rounds = unigram_steps(words, counts, target, share, em)
    steps = remember("unigram.steps", of, lambda: list(islice(rounds, _MAX_ROUNDS)), 1)
    if len(steps) == _MAX_ROUNDS and steps[-1].removed:
        st.caption(t("learn_unigram.rounds_cut", limit=_MAX_ROUNDS))
    url_stepper("prune_step", pruning_frames(words, steps, language()), of, t("learn_unigram.pruning"))
    table = rounds_table(steps)
    title = t("learn_unigram.figure.title")
    axes = (t("learn_unigram.figure.size"), t("learn_unigram.figure.loss"))
    figure = pruning_figure(table, title, axes, language())
    render_figure(figure, "learn_unigram.figure", title)
    st.caption(t("learn_unigram.figure.note"))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {name: t(f"learn_unigram.rounds.{name}") for name in table.columns}
    columns["loss"] = number(columns["loss"], format="%.3f")
    columns["cost"] = number(columns["cost"], format="%.3f")
    render_data("unigram-rounds", table, columns, of=words_text(words))


def _settings(counts: Mapping[str, int]) -> tuple[float | None, int, int]:
    """Share removed per round (None: one token), EM iterations per round, and the target size."""
    left, middle, right = st.columns([2, 1, 2])
    with left:
        kinds = {name: t(f"learn_unigram.share.{name}") for name in ("one", "percent")}
        kind = url_choice("share", t("learn_unigram.share.label"), kinds, "one", t("learn_unigram.share.help"))
    with middle:
        percent = url_number("percent", t("learn_unigram.percent"), 1, 90, 20, 1, disabled=kind == "one")
    with right:
        times = {str(count): t("learn_unigram.em.times", count=count) for count in (0, 1, 2)}
        em = int(url_choice("em", t("learn_unigram.em.label"), times, "0", t("learn_unigram.em.help")))
    low, high = sum(len(token) == 1 for token in counts), len(counts)
    if low == high:
        st.info(t("learn_unigram.only_characters"), icon=":material/info:")
        return None, em, low
    # The alphabet depends on the words.
    if _TARGET in st.session_state:
        st.session_state[_TARGET] = min(max(int(st.session_state[_TARGET]), low), high)
    target = url_slider(_TARGET, plain(t("learn_unigram.target", low=low)), low, high, low)
    return percent / 100 if kind == "percent" else None, em, int(target)


def pruning_figure(table: pd.DataFrame, title: str, axes: tuple[str, str], language: str) -> Plot:
    """Loss against vocabulary size of a `rounds_table`, from large to small, labelled with the removed tokens."""
    if len(table) < 2:
        return nothing_to_show(title, language, 340)
    # Each point is labelled with the tokens removed before it.
    names = [f"− {name}" if name else "" for name in ["", *table["removed"].iloc[:-1]]]
    traces = lines(
        single(table.assign(label=names)),
        "size",
        "loss",
        "%{x:,}: %{y:.2f}<br>%{text}",
        size=9,
        mode="lines+markers+text" if len(table) <= _MAX_NAMED else "lines+markers",
        text="label",
        textposition="top center",
        cliponaxis=False,
    )
    low, high = int(table["size"].min()), int(table["size"].max())
    room = max(0.5, (high - low) * 0.06)
    spread = float(table["loss"].max() - table["loss"].min()) or 1.0
    losses = [float(table["loss"].min()) - 0.1 * spread, float(table["loss"].max()) + 0.18 * spread]
    xaxis = {"title": axes[0], "range": [high + room, low - room], "dtick": max(1, -(-(high - low) // 12))}
    yaxis = {"title": axes[1], "range": losses}
    return chart(traces, title, language, 360, showlegend=False, xaxis=xaxis, yaxis=yaxis)
