"""Parameters of the embedding tables against pairs of attention, for sizes that the visitor enters."""

from collections.abc import Mapping
from functools import cache

import pandas as pd
import streamlit as st

from app.parts.choices import set_number, url_number
from app.parts.data_table import download_csv, draw_table, headings, render_data
from app.parts.figures.lines import growth_figure
from app.parts.layout import render_figure
from app.parts.tables.learn.tradeoff import (
    attention_pairs,
    cost_table,
    coverage_table,
    embedding_parameters,
    ranked_words,
    unknown_words,
    with_unknown,
)
from app.session.page_run import fragment
from app.texts.corpora import builtin_corpus
from app.texts.i18n import language, t
from app.texts.measured import builtin_text
from app.texts.plain import plain, visible_space

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
    st.header(t("learn_tradeoff.unknown"))
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


_MODELS = {"gpt2": (50_257, 768, 1, 1024), "llama2": (32_000, 4096, 2, 4096), "characters": (256, 4096, 2, 16_384)}
_NAMES = ("vocabulary", "width", "tables", "length")


def _use(model: str) -> None:
    for name, value in zip(_NAMES, _MODELS[model], strict=True):
        set_number(name, value)


@fragment
def render_costs(measured: Mapping[str, tuple[int, float]]) -> None:
    """The numbers entered (`vocabulary`, `width`, `tables`, `length` in the URL), and the costs of other tokenizers.

    Parameters
    ----------
    measured : vocabulary size and tokens per line, by tokenizer name.
    """
    st.header(t("learn_tradeoff.costs"))
    st.markdown(t("learn_tradeoff.costs_text"))
    with st.container(horizontal=True, gap="xsmall", key="learn_tradeoff.models"):
        for model in _MODELS:
            st.button(
                t(f"learn_tradeoff.model.{model}"), key=f"learn_tradeoff.use.{model}", on_click=_use, args=(model,)
            )
    columns = st.columns(4)
    with columns[0]:
        size = url_number("vocabulary", t("learn_tradeoff.vocabulary"), 1, 10_000_000, 50_257, 1000)
    with columns[1]:
        width = url_number("width", t("learn_tradeoff.width"), 1, 100_000, 768, 64)
    with columns[2]:
        tables = url_number("tables", t("learn_tradeoff.tables"), 1, 2, 1, 1)
    with columns[3]:
        length = url_number("length", t("learn_tradeoff.length"), 1, 10_000_000, 1024, 128)
    parameters, pairs = embedding_parameters(size, width, tables), attention_pairs(length)
    with st.container(horizontal=True, gap="large"):
        st.metric(t("learn_tradeoff.parameters"), f"{parameters:,}", width="content")
        st.metric(t("learn_tradeoff.pairs"), f"{pairs:,.0f}", width="content")
    st.latex(
        rf"{tables} \cdot V \cdot d = {tables} \cdot {size:,} \cdot {width:,} = {parameters:,}".replace(",", "{,}")
    )
    st.latex(rf"n^2 = {length:,}^2 = {pairs:,.0f}".replace(",", "{,}"))
    st.markdown(t("learn_tradeoff.halve", pairs=pairs, half=attention_pairs(length / 2)))
    st.caption(t("learn_tradeoff.examples"))
    if measured:
        _render_measured(measured, width, tables, length)


def _render_measured(measured: Mapping[str, tuple[int, float]], width: int, tables: int, length: int) -> None:
    """The curve's tokenizers on the text that takes `length` tokens with the first of them."""
    first = next(iter(measured))
    st.markdown(t("learn_tradeoff.measured", name=plain(first), length=length, width=width))
    per_line = measured[first][1]
    lengths = [length * tokens / per_line for _, tokens in measured.values()]
    table = cost_table(list(measured), [v for v, _ in measured.values()], lengths, width, tables, 0)
    whole = table.round({"n_tokens": 0, "pairs": 0})
    formats = dict.fromkeys(("vocab_size", "n_tokens", "parameters", "pairs"), "localized")
    formats |= dict.fromkeys(("times_parameters", "times_pairs"), "%.2f ×")
    draw_table(whole, headings("learn_tradeoff.column", name="", **formats), "learn_tradeoff.measured")
    download_csv("costs", lambda: table, of=builtin_text(TEST))
