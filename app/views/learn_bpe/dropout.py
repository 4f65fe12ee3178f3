"""BPE-dropout compared with sampling from a Unigram LM: how often each segmentation of a word is drawn."""

import random
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
from app.toys.merges import Pair, Symbols, first_symbols, merged_label
from app.toys.unigram import all_segmentations, count_substrings, probabilities
from engine.errors import InputError
from engine.merge_settings import MergeSettings

_MOST_STATES = 20_000  # per word


def sample_dropout(
    symbols: Symbols, merges: Sequence[Pair], settings: MergeSettings, p: float, n: int, seed: int = 0
) -> list[Symbols]:
    """Draw `n` segmentations of a word.

    Until nothing is left to merge, every possible merge is dropped with probability `p`; among the rest, the earliest
    learned is applied, leftmost first (Algorithm 1 of the paper). `p` = 0 is BPE; `p` = 1 merges nothing.

    Parameters
    ----------
    symbols : the word's initial symbols.
    merges : in the order learned.

    >>> sample_dropout(("h", "u", "g"), [("u", "g")], MergeSettings(), 0.0, 2)
    [('h', 'ug'), ('h', 'ug')]
    """
    ranks = _ranks(merges)
    chance = random.Random(seed)
    drawn = []
    for _ in range(n):
        now = symbols
        while kept := [at for at in _places(now, ranks) if chance.random() >= p]:
            now = _merged(now, kept[0], settings)
        drawn.append(now)
    return drawn


def dropout_distribution(
    symbols: Symbols, merges: Sequence[Pair], settings: MergeSettings, p: float
) -> dict[Symbols, float]:
    """The exact probability of every segmentation that `sample_dropout` can draw, most probable first.

    In the order of `_places`, the k-th possible merge (k from 0) is applied with probability p^k (1 - p).

    Raises
    ------
    InputError : the word has too many intermediate segmentations.
    """
    ranks = _ranks(merges)
    found: dict[Symbols, float] = {}
    states = {symbols: 1.0}
    n_states = 0
    # Each merge removes one symbol, so all states of a round have the same length.
    while states:
        n_states += len(states)
        if n_states > _MOST_STATES:
            raise InputError("dropout.long")
        shorter: dict[Symbols, float] = {}
        for now, probability in states.items():
            left = probability
            for at in _places(now, ranks):
                merged = _merged(now, at, settings)
                shorter[merged] = shorter.get(merged, 0.0) + left * (1 - p)
                left *= p
            if left > 0:
                found[now] = left
        states = {state: probability for state, probability in shorter.items() if probability > 0}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _ranks(merges: Sequence[Pair]) -> Mapping[Pair, int]:
    return {pair: rank for rank, pair in enumerate(merges)}


def _places(symbols: Symbols, ranks: Mapping[Pair, int]) -> list[int]:
    """Positions where a merge applies, by merge order, then from left to right."""
    fitting = [at for at in range(len(symbols) - 1) if symbols[at : at + 2] in ranks]
    return sorted(fitting, key=lambda at: (ranks[(symbols[at], symbols[at + 1])], at))


def _merged(symbols: Symbols, at: int, settings: MergeSettings) -> Symbols:
    return (*symbols[:at], merged_label((symbols[at], symbols[at + 1]), settings), *symbols[at + 2 :])


# This many symbols have at most 2,048 segmentations.
MAX_SYMBOLS = 12
WAYS = ("exact", "drawn", "unigram")
_FIRST_CODE = 0xE000


_DRAWS, _MOST = 1000, 8


def render_dropout(word: str, words: Mapping[str, int], merges: Sequence[Pair], settings: MergeSettings) -> None:
    """The first word to segment, with merges skipped at random; `dropout` in the URL, in percent."""
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
