"""Characters, words or subwords: the size of the vocabulary against the length of the sequence, and what each costs."""

import pandas as pd
import streamlit as st

from app.comparison import taught_settings
from app.components.data_table import render_data
from app.components.tokenizer_set import ready_references
from app.corpora import builtin_source
from app.figures.lines import growth_figure
from app.i18n import language, t
from app.models import ActiveTokenizer
from app.reference import ModelReference
from app.tables.growth import growth_table
from app.tables.tradeoff import attention_pairs, embedding_parameters, unknown_table
from app.texts import builtin_text

_MODELS = {"byte-bpe": 12_000, "characters": 2000, "words": 12_000, "bytes": 256}
_TEST = "parallel.ko"
_WORDS = (100, 200, 500, 1000, 2000, 4000, 8000, 16_000, 32_000)


@st.cache_data(max_entries=20, show_spinner=False)
def _curve(sha256: str, _active: ActiveTokenizer) -> pd.DataFrame:
    return growth_table(_active.model, builtin_text(_TEST, "").lines)


@st.cache_data(max_entries=2, show_spinner=False)
def _unknown() -> pd.DataFrame:
    return unknown_table(builtin_source("ko").lines(), builtin_text(_TEST, "").lines, _WORDS)


def _render_lengths() -> None:
    st.header(t("learn_tradeoff.lengths"))
    st.markdown(t("learn_tradeoff.lengths_text"))
    references = [ModelReference("ko", taught_settings(code, size)) for code, size in _MODELS.items()]
    parts = [_curve(active.sha256, active).assign(tokenizer=active.title) for active in ready_references(references)]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    title = t("learn_tradeoff.lengths_title")
    axes = (t("growth.axis.size"), t("growth.value.tokens_per_line"))
    figure = growth_figure(table, "tokenizer", "tokens_per_line", title, axes, language())
    st.plotly_chart(figure, key="learn_tradeoff.lengths", config={"displaylogo": False}, alt=title)
    if len(table):
        names = ("tokenizer", "vocab_size", "tokens", "tokens_per_line")
        render_data("lengths", table, {name: t(f"growth.column.{name}") for name in names})


def _render_unknown() -> None:
    st.header(t("learn_tradeoff.unknown"))
    table = _unknown().assign(tokenizer=t("train.algorithm.words"))
    last = table.iloc[-1]
    st.markdown(t("learn_tradeoff.unknown_text", size=int(last["vocab_size"]), share=100 * last["unknown"]))
    title = t("learn_tradeoff.unknown_title")
    axes = (t("learn_tradeoff.unknown_size"), t("learn_tradeoff.unknown_axis"))
    figure = growth_figure(table, "tokenizer", "unknown", title, axes, language())
    figure.update_yaxes(tickformat=".0%", range=[0, 1])
    st.plotly_chart(figure, key="learn_tradeoff.unknown", config={"displaylogo": False}, alt=title)
    columns = {"vocab_size": t("learn_tradeoff.unknown_size"), "unknown": t("learn_tradeoff.unknown_axis")}
    render_data("unknown", table, columns)


def _number(name: str, low: int, high: int, default: int, step: int) -> int:
    return int(
        st.number_input(
            t(f"learn_tradeoff.{name}"), low, high, default, step=step, key=name, bind="query-params",
            persist_state="session",
        )
    )  # fmt: skip


def _render_costs() -> None:
    st.header(t("learn_tradeoff.costs"))
    st.markdown(t("learn_tradeoff.costs_text"))
    columns = st.columns(4)
    with columns[0]:
        size = _number("vocabulary", 1, 10_000_000, 50_257, 1000)
    with columns[1]:
        width = _number("width", 1, 100_000, 768, 64)
    with columns[2]:
        tables = _number("tables", 1, 2, 1, 1)
    with columns[3]:
        length = _number("length", 1, 10_000_000, 1024, 128)
    parameters, pairs = embedding_parameters(size, width, tables), attention_pairs(length)
    with st.container(horizontal=True, gap="large"):
        st.metric(t("learn_tradeoff.parameters"), f"{parameters:,}", width="content")
        st.metric(t("learn_tradeoff.pairs"), f"{pairs:,.0f}", width="content")
    st.latex(rf"{tables} \cdot V \cdot d = {tables} \cdot {size:,} \cdot {width:,} = {parameters:,}")
    st.latex(rf"n^2 = {length:,}^2 = {pairs:,.0f}")
    st.markdown(t("learn_tradeoff.halve", pairs=pairs, half=attention_pairs(length / 2)))
    st.caption(t("learn_tradeoff.examples"))


st.title(t("learn_tradeoff.title"))
st.markdown(t("learn_tradeoff.intro"))
_render_lengths()
_render_unknown()
_render_costs()
