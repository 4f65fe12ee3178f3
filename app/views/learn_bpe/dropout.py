"""BPE-dropout compared with sampling from a Unigram LM: how often each segmentation of a word is drawn."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from app.parts.choices import url_number
from app.parts.data_table import render_data
from app.parts.figures.bars import grouped_bars_figure
from app.parts.layout import render_figure
from app.parts.toy_words import words_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.toys.dropout import dropout_distribution, sample_dropout
from app.toys.merges import Pair, Symbols, first_symbols, merged_label
from app.toys.unigram import all_segmentations, count_substrings, probabilities
from engine.merge_settings import MergeSettings

# This many symbols have at most 2,048 segmentations.
MAX_SYMBOLS = 12
WAYS = ("exact", "drawn", "unigram")
_FIRST_CODE = 0xE000


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
    render_figure(figure, "learn_bpe.dropout", title)
    reached = int((table["exact"] > 0).sum())
    note = t("learn_bpe.dropout_note", word=plain(word), reached=reached, draws=_DRAWS, most=min(_MOST, len(table)))
    st.caption(note if table["unigram"].notna().all() else f"{note} {t('learn_bpe.dropout_unknown')}")
    shares = {way: st.column_config.NumberColumn(name, format="percent") for way, name in names.items()}
    columns = {name: t(f"learn_bpe.dropout_column.{name}") for name in ("segmentation", "tokens")}
    render_data("dropout", table, {**columns, **shares}, of=words_text(words))


def dropout_table(
    word: str, words: Mapping[str, int], merges: Sequence[Pair], settings: MergeSettings, p: float, n: int
) -> pd.DataFrame:
    """One row per segmentation that either can draw, the most probable under BPE-dropout first.

    Columns: segmentation, tokens, exact and drawn (shares under BPE-dropout, of `n` draws), unigram (posterior of a
    Unigram LM over the same tokens, by their counts in `words`; NaN if it cannot encode the word).
    """
    symbols = first_symbols(word, settings)[:MAX_SYMBOLS]
    exact = dropout_distribution(symbols, merges, settings, p)
    drawn = Counter(sample_dropout(symbols, merges, settings, p, n))
    unigram = _unigram(symbols, words, merges, settings)
    ends = [*exact, *(end for end in unigram if end not in exact)]
    return pd.DataFrame(
        {
            "segmentation": [" ".join(end) for end in ends],
            "tokens": [len(end) for end in ends],
            "exact": [exact.get(end, 0.0) for end in ends],
            "drawn": [drawn[end] / n for end in ends],
            "unigram": [unigram.get(end, 0.0) if unigram else float("nan") for end in ends],
        }
    )


def dropout_bars(table: pd.DataFrame, names: Mapping[str, str], most: int) -> pd.DataFrame:
    """The first rows in long form, one row per value of WAYS. Columns: segmentation, kind (of `names`), share."""
    bars = table.head(most).melt("segmentation", WAYS, "kind", "share").dropna()
    return bars.assign(kind=bars["kind"].map(dict(names)))


def _unigram(
    symbols: Symbols, words: Mapping[str, int], merges: Sequence[Pair], settings: MergeSettings
) -> dict[Symbols, float]:
    """Posterior of every segmentation; empty if the corpus lacks a symbol.

    The lesson's functions take single characters, so each symbol, an end-of-word mark too, becomes a private-use one.
    """
    split = {word: first_symbols(word, settings) for word in words}
    every = sorted({symbol for one in split.values() for symbol in one})
    code = {symbol: chr(_FIRST_CODE + k) for k, symbol in enumerate(every)}
    if any(symbol not in code for symbol in symbols):
        return {}
    token = dict(code)  # the symbols of each token, coded
    for pair in merges:
        token[merged_label(pair, settings)] = token[pair[0]] + token[pair[1]]
    counted = {"".join(code[symbol] for symbol in one): words[word] for word, one in split.items()}
    prob = probabilities(count_substrings(counted, token.values()))
    label = {coded: name for name, coded in token.items()}
    found = all_segmentations("".join(code[symbol] for symbol in symbols), prob)
    total = sum(one.prob for one in found)
    return {tuple(label[coded] for coded in one.tokens): one.prob / total for one in found}
