"""The Unigram LM step by step: a base vocabulary, segmentations and their P, Viterbi, then pruning by loss."""

from itertools import islice
from typing import Any

import pandas as pd
import streamlit as st

from app import state
from app.components.choices import url_choice
from app.components.data_table import render_data
from app.components.stepper import stepper
from app.components.stepper_labels import stepper_labels
from app.components.toy_words import render_toy_words
from app.components.unigram_frames import pruning_frames, viterbi_frames
from app.i18n import language, t
from app.text import plain, visible_space
from engine.errors import InputError
from engine.lessons.toy_merges import merge_steps
from engine.lessons.toy_unigram import (
    UnigramStep,
    all_segmentations,
    count_substrings,
    probabilities,
    strict_substrings,
    unigram_steps,
    viterbi_cells,
)
from engine.merges.settings import MergeSettings

_MAX_WORD, _MAX_LISTED, _MAX_ROUNDS, _MAX_BASE = 12, 60, 120, 400
_SHARES = {"one": None, "ten": 0.1, "twenty": 0.2}


def _base(words: dict[str, int]) -> dict[str, int]:
    """The base vocabulary with its counts."""
    kinds = {name: t(f"learn_unigram.base.{name}") for name in ("substrings", "bpe")}
    kind = url_choice("base", t("learn_unigram.base.label"), kinds, "substrings", t("learn_unigram.base.help"))
    if kind == "substrings":
        return strict_substrings(words)
    settings = MergeSettings(algorithm="bpe", vocab_size=None)
    return count_substrings(words, merge_steps(words, settings, 30)[-1].vocabulary)


def _render_counts(counts: dict[str, int], prob: dict[str, float]) -> None:
    st.header(t("learn_unigram.counts"))
    st.markdown(t("learn_unigram.counts_text", size=len(counts), total=sum(counts.values())))
    table = pd.DataFrame(
        {
            "token": [visible_space(token) for token in counts],
            "count": list(counts.values()),
            "p": [f"{count}/{sum(counts.values())}" for count in counts.values()],
            "prob": list(prob.values()),
        }
    ).sort_values("count", ascending=False, kind="stable")
    columns: dict[str, Any] = {
        "token": t("learn_unigram.column.token"),
        "count": t("learn_unigram.column.count"),
        "p": t("learn_unigram.column.p"),
        "prob": st.column_config.NumberColumn(t("learn_unigram.column.prob"), format="%.6f"),
    }
    st.dataframe(table, hide_index=True, column_config=columns, height=260)
    render_data("unigram-counts", table, columns)


def _word() -> str:
    st.header(t("learn_unigram.segmentations"))
    key = "learn_unigram.word"
    state.adopt("word", key, state.unpack_text)
    st.session_state.setdefault(key, "unhug")
    word = st.text_input(t("learn_bpe.word"), key=key, max_chars=_MAX_WORD, persist_state="session") or ""
    state.publish("word", None if word == "unhug" else state.pack_text(word))
    return word.strip()


def _render_segmentations(word: str, prob: dict[str, float]) -> bool:
    """Every segmentation with its product; returns whether there is one."""
    missing = [char for char in dict.fromkeys(word) if char not in prob]
    if missing:
        st.info(t("learn_unigram.missing", chars=" ".join(missing)), icon=":material/help:")
        return False
    found = all_segmentations(word, prob)
    st.markdown(t("learn_unigram.segmentations_text", count=len(found)))
    table = pd.DataFrame(
        {
            "tokens": [" | ".join(map(visible_space, one.tokens)) for one in found],
            "product": [" × ".join(f"{prob[token]:.4f}" for token in one.tokens) for one in found],
            "prob": [one.prob for one in found],
        }
    )
    columns: dict[str, Any] = {
        "tokens": t("learn_unigram.column.tokens"),
        "product": t("learn_unigram.column.product"),
        "prob": st.column_config.NumberColumn(t("learn_unigram.column.prob"), format="%.9f"),
    }
    shown = table.head(_MAX_LISTED)
    st.dataframe(shown, hide_index=True, column_config=columns, height=min(38 + 35 * len(shown), 330))
    return True


def _steps(words: dict[str, int], counts: dict[str, int]) -> list[UnigramStep]:
    st.header(t("learn_unigram.pruning"))
    st.markdown(t("learn_unigram.pruning_text"))
    n_single = sum(len(token) == 1 for token in counts)
    left, right = st.columns(2)
    with left:
        shares = {name: t(f"learn_unigram.share.{name}") for name in _SHARES}
        share = _SHARES[url_choice("share", t("learn_unigram.share.label"), shares, "one")]
    with right:
        times = {str(count): t("learn_unigram.em.times", count=count) for count in (0, 1, 2)}
        em = int(url_choice("em", t("learn_unigram.em.label"), times, "0", t("learn_unigram.em.help")))
    target = n_single
    if len(counts) > n_single:
        target = st.slider(
            t("learn_unigram.target"), n_single, len(counts), min(len(counts), n_single + 4), key="target",
            bind="query-params", persist_state="session",
        )  # fmt: skip
    return list(islice(unigram_steps(words, counts, target, share, em), _MAX_ROUNDS))


st.title(t("learn_unigram.title"))
st.markdown(t("learn_unigram.intro"))
words = render_toy_words("learn_unigram", "hug")
counts = _base(words)
if len(counts) > _MAX_BASE:
    st.warning(t("learn_unigram.too_many", count=len(counts), limit=_MAX_BASE), icon=":material/block:")
    st.stop()
prob = probabilities(counts)
_render_counts(counts, prob)
word = _word()
if word and _render_segmentations(word, prob):
    st.subheader(t("learn_unigram.viterbi"), anchor=False)
    st.markdown(t("learn_unigram.viterbi_text"))
    labels = stepper_labels(title=t("learn_unigram.viterbi"))
    stepper("learn_unigram.viterbi", viterbi_frames(word, viterbi_cells(word, prob)), labels, ui_lang=language())
try:
    steps = _steps(words, counts)
except InputError as error:
    st.warning(plain(str(error)), icon=":material/block:")
    st.stop()
stepper(
    "learn_unigram.pruning", pruning_frames(steps), stepper_labels(title=t("learn_unigram.pruning")),
    ui_lang=language(),
)  # fmt: skip
