"""Words and characters that a vocabulary of each size does not know."""

from functools import cache

import pandas as pd
import streamlit as st

from app.parts.data_table import draw_table, headings, render_data
from app.parts.figures.lines import growth_figure
from app.parts.layout import render_figure
from app.parts.tables.learn.tradeoff import coverage_table, ranked_words, unknown_words, with_unknown
from app.session.page_run import fragment
from app.texts.corpora import builtin_corpus, builtin_text
from app.texts.i18n import language, t
from app.texts.plain import visible_space

TEST = "parallel.ko"
_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000, 8000, 16_000, 32_000)
_N_WORDS = 4


@cache
def _coverage() -> pd.DataFrame:
    return coverage_table(builtin_corpus("ko").lines(), builtin_text(TEST).sentences(), _SIZES)


@cache
def _ranked() -> list[str]:
    return ranked_words(builtin_corpus("ko").lines())


@fragment
def render_unknown() -> None:
    """The curve of coverage, and the unknown words at the selected size; `top` in the URL."""
    st.subheader(t("learn_tradeoff.unknown"))
    table = _coverage()
    last = table[table["unit"] == "words"].iloc[-1]
    st.markdown(t("learn_tradeoff.unknown_text", size=int(last["vocab_size"]), share=100 * last["unknown"]))
    table = table.assign(
        unit=table["unit"].map({unit: t(f"train.algorithm.{unit}") for unit in table["unit"].unique()})
    )
    title = t("learn_tradeoff.unknown_title")
    axes = (t("learn_tradeoff.unknown_size"), t("learn_tradeoff.covered_axis"))
    figure = growth_figure(table, "unit", "covered", title, axes, language(), in_percent=True)
    render_figure(figure, "learn_tradeoff.unknown", title)
    columns = {name: t(f"learn_tradeoff.column.{name}") for name in ("unit", "vocab_size", "covered", "unknown")}
    render_data("unknown", table, columns, of=[builtin_corpus("ko"), builtin_text(TEST)])
    _render_at_size()


def _render_at_size() -> None:
    ranked, lines = _ranked(), builtin_text(TEST).sentences()
    sizes = [size for size in _SIZES if size < len(ranked)] + [len(ranked)]
    size = st.select_slider(
        t("learn_tradeoff.top"),
        sizes,
        2000,
        key="top",
        format_func="{:,}".format,
        bind="query-params",
        persist_state="session",
    )
    known = set(ranked[:size])
    unknown = unknown_words(lines, known)
    n_words = sum(len(line.split()) for line in lines)
    missing = int(unknown["count"].sum())
    st.markdown(
        t(
            "learn_tradeoff.at_size",
            size=size,
            unknown=missing,
            total=n_words,
            share=100 * missing / n_words,
            kinds=len(unknown),
        )
    )
    left, right = st.columns([3, 2])
    with left:
        pairs = [(visible_space(line).replace("␣", " "), with_unknown(line, known)) for line in lines[:_N_WORDS]]
        st.dataframe(
            pd.DataFrame(pairs, columns=["text", "read"]),
            hide_index=True,
            row_height=70,
            key="learn_tradeoff.lines",
            column_config={name: t(f"learn_tradeoff.column.{name}") for name in ("text", "read")},
        )
    with right:
        draw_table(unknown, headings("learn_tradeoff.column", word="", count=""), "learn_tradeoff.words")
