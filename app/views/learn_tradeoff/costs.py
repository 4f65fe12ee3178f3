"""Parameters of the embedding tables against pairs of attention, for sizes that the visitor enters."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.parts.choices import set_number, url_number
from app.parts.data_table import download_csv
from app.parts.tables.learn.tradeoff import attention_pairs, cost_table, embedding_parameters
from app.session.page_run import fragment
from app.texts.i18n import t
from app.texts.measured import builtin_text
from app.texts.plain import plain
from app.views.learn_tradeoff.unknown import TEST

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
    number = st.column_config.NumberColumn
    formats = {
        "vocab_size": "localized",
        "n_tokens": "localized",
        "parameters": "localized",
        "pairs": "localized",
        "times_parameters": "%.2f ×",
        "times_pairs": "%.2f ×",
    }
    columns: dict[str, Any] = {"name": t("learn_tradeoff.column.name")}
    columns |= {name: number(t(f"learn_tradeoff.column.{name}"), format=form) for name, form in formats.items()}
    st.dataframe(whole, hide_index=True, column_config=columns, key="learn_tradeoff.measured")
    download_csv("costs", lambda: table, of=builtin_text(TEST))
