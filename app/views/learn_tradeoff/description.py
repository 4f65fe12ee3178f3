"""Description length: bits of the text as tokens plus bits of the vocabulary, by vocabulary size."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import render_data
from app.parts.figures.lines import growth_figure
from app.parts.layout import render_figure
from app.parts.texts.text_set import text_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer, ask_for
from app.session.own_choice import is_own
from app.session.reference import ModelReference
from app.texts.corpora import Text
from app.texts.find import find_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from engine.measure.description import description_by_merges
from engine.tokenizer import MergedTokenizer

_POINTS = 40


# Texts, and the largest vocabulary for each: ten times the text allows more merges.
_SIZES = {"ko.news": 2500, "ko": 12_000}


def _described(active: ActiveTokenizer, source: Text) -> pd.DataFrame:
    merges = active.model.merges
    assert merges is not None
    key = (active.sha256, source.digest)
    return remember("description", key, lambda: description_table(merges, source.lines()), is_shared=True)


def render_description() -> None:
    """The curves of one text; `described` in the URL."""
    st.header(t("learn_tradeoff.description"))
    st.markdown(t("learn_tradeoff.description_text"))
    titles = {"ko.news": text_name("ko.news"), "ko": t("corpora.ko.title")}
    text_id = url_choice("described", t("learn_tradeoff.described"), titles, "ko")
    source = find_text(text_id, {})
    assert source is not None
    wanted = [ModelReference(text_id, taught_settings("byte-bpe", _SIZES[text_id]))]
    if is_own("described"):
        ask_for(wanted)
    shown = ready_references(wanted)
    if not shown:
        return
    table = _described(shown[0], source)
    best = table.loc[table["total"].idxmin()]
    title = t("learn_tradeoff.description_title")
    parts = ("total", "text", "vocabulary")
    curves = table.melt("vocab_size", parts, "part", "bits")
    named = curves.assign(
        part=curves["part"].map({name: t(f"learn_tradeoff.description_part.{name}") for name in parts})
    )
    axes = (t("growth.axis.size"), t("learn_tradeoff.description_axis"))
    figure = growth_figure(named, "part", "bits", title, axes, language())
    render_figure(figure, "learn_tradeoff.description", title)
    st.caption(
        t(
            "learn_tradeoff.description_note",
            text=plain(titles[text_id]),
            characters=source.n_chars,
            size=int(best["vocab_size"]),
            bits=float(best["total"]),
        )
    )
    columns = {name: t(f"learn_tradeoff.description_part.{name}") for name in parts}
    render_data("description", table, {"vocab_size": t("growth.column.vocab_size"), **columns}, of=source)


def description_table(model: MergedTokenizer, lines: Sequence[str]) -> pd.DataFrame:
    """One row per size, of a model on its training text, starting with the initial symbols only.

    Columns: vocab_size; text, vocabulary and total, in bits per character.
    """
    numbers = np.unique(np.geomspace(1, model.n_merges + 1, _POINTS).astype(int) - 1).tolist()
    lengths = description_by_merges(model, lines, numbers)
    n_characters = sum(map(len, lines))
    return pd.DataFrame(
        {
            "vocab_size": [model.n_first + number for number in numbers],
            "text": [one.text / n_characters for one in lengths],
            "vocabulary": [one.vocabulary / n_characters for one in lengths],
            "total": [one.total / n_characters for one in lengths],
        }
    )
