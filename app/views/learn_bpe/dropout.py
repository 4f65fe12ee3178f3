"""BPE-dropout compared with sampling from a Unigram LM: how often each segmentation of a word is drawn."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app.lessons.toy_merges import Pair
from app.parts.choices import url_number
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.toy_words import words_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.learn_bpe.dropout_tables import MAX_SYMBOLS, WAYS, dropout_bars, dropout_table
from engine.merge_settings import MergeSettings

_DRAWS, _MOST = 1000, 8


def render_dropout(word: str, words: Mapping[str, int], merges: Sequence[Pair], settings: MergeSettings) -> None:
    """The first word to segment, with merges skipped at random; `dropout` in the URL, in percent."""
    st.header(t("learn_bpe.dropout"))
    st.markdown(t("learn_bpe.dropout_text"))
    percent = url_number("dropout", t("learn_bpe.dropout_p"), 0, 100, 10, 5)
    word = word[:MAX_SYMBOLS]
    table = dropout_table(word, words, merges, settings, percent / 100, _DRAWS)
    names = {way: t(f"learn_bpe.dropout_way.{way}") for way in WAYS}
    title, axis = t("learn_bpe.dropout_title", word=word), t("learn_bpe.dropout_share")
    bars = dropout_bars(table, names, _MOST)
    figure = grouped_bars_figure(bars, "segmentation", "kind", "share", title, axis, language(), in_percent=True)
    st.plotly_chart(figure, key="learn_bpe.dropout", config={"displaylogo": False}, alt=title)
    reached = int((table["exact"] > 0).sum())
    note = t("learn_bpe.dropout_note", word=plain(word), reached=reached, draws=_DRAWS, most=min(_MOST, len(table)))
    st.caption(note if table["unigram"].notna().all() else f"{note} {t('learn_bpe.dropout_unknown')}")
    shares = {way: st.column_config.NumberColumn(name, format="percent") for way, name in names.items()}
    columns = {name: t(f"learn_bpe.dropout_column.{name}") for name in ("segmentation", "tokens")}
    render_data("dropout", table, {**columns, **shares}, of=words_text(words))
