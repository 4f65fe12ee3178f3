"""The Unigram LM step by step: base vocabulary, segmentations with probabilities, Viterbi, EM, pruning by loss."""

import streamlit as st

from app.parts.choices import read_choice, url_choice, url_slider, url_toggle
from app.parts.data_table import download_csv, headings
from app.parts.hidden_answers import hides_answers, render_exercises
from app.parts.layout import Layout, heading, layout, live_layout, open_lines
from app.parts.tables.learn.unigram import count_table, source_table
from app.parts.toy_words import chosen_preset, render_presets, render_words_field, usable_words, words_text
from app.session.page_run import fragment
from app.texts.i18n import t
from app.texts.plain import plain
from app.toys.merges import merge_steps
from app.toys.unigram import count_substrings, probabilities, strict_substrings
from app.views.learn_unigram.training import render_em, render_pruning
from app.views.learn_unigram.word import (
    CORPUS,
    choose_probabilities,
    render_below,
    render_segmentations,
    render_table,
    use_words_of,
    word_field,
    word_in,
)
from engine.merge_settings import MergeSettings

_PAGE, _WORDS = "learn_unigram", "hug"
_MAX_BASE = 400
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_FIELD, _LIVE, _BELOW = "learn_unigram.field", "learn_unigram.live", "learn_unigram.below"
_SECTIONS = "learn_unigram.sections"
_TRAINING = ("em_step", "share", "percent", "em", "target", "prune_step")  # what a link into the training names


@fragment(key=_FIELD, waits=False)
def _render_field() -> None:
    render_words_field(_PAGE, _WORDS, (_BELOW, _SECTIONS), (_FIELD, _LIVE))


def _choose(view: Layout) -> tuple[str, int, str]:
    """The seed vocabulary, the merges of a BPE that makes it, and where probabilities come from."""
    kinds = {name: t(f"learn_unigram.base.{name}") for name in ("substrings", "bpe")}
    kind = kinds[read_choice("base", kinds, "substrings")]
    with view.settings(t("learn_unigram.settings", base=plain(kind))):
        _render_field()
        render_presets(_PAGE, _WORDS, use_words_of)
        kind = url_choice("base", t("learn_unigram.base.label"), kinds, "substrings", t("learn_unigram.base.help"))
        n_merges = url_slider("bpe_merges", t("learn_unigram.base.merges"), 1, 80, 30, disabled=kind != "bpe")
        return kind, n_merges, choose_probabilities()


def _base(words: dict[str, int], kind: str, n_merges: int) -> dict[str, int]:
    """The seed vocabulary with its counts."""
    if kind == "substrings":
        return strict_substrings(words)
    settings = MergeSettings(algorithm="bpe", vocab_size=None)
    return count_substrings(words, merge_steps(words, settings, n_merges)[-1].vocabulary)


def _render_counts(counts: dict[str, int], words: dict[str, int]) -> None:
    st.header(t("learn_unigram.counts"))
    st.markdown(t("learn_unigram.counts_text", size=len(counts), total=sum(counts.values())))
    table = count_table(counts)
    most = float(table["prob"].max())
    bar = st.column_config.ProgressColumn(format="%.6f", min_value=0.0, max_value=most)
    columns = headings("learn_unigram.column", token="", count="", fraction="", prob=bar)
    st.dataframe(table, hide_index=True, column_config=columns, height=min(38 + 35 * len(table), 388))
    download_csv("unigram-counts", lambda: table, of=words_text(words))


def _render_sources(counts: dict[str, int], prob: dict[str, float]) -> None:
    """What the sources of the hug corpus print, compared with the results here."""
    if not url_toggle("printed", t("learn_unigram.printed.heading")):
        return
    with st.container(border=True):
        st.markdown(t("learn_unigram.printed.text"))
        table = source_table(counts, prob)
        table["source"] = [t(f"learn_unigram.printed.{name}") for name in table["source"]]
        table["same"] = ["✓" if same else "≠" for same in table["same"]]
        columns = {name: t(f"learn_unigram.printed.column.{name}") for name in table.columns}
        st.dataframe(table, hide_index=True, column_config=columns, width="content")


@fragment(key=_LIVE, waits=False)
def _render_live(kind: str, n_merges: int, source: str, is_hidden: bool) -> None:
    """The word and its Viterbi table, which follow the keys."""
    topic, picture = live_layout()
    with topic:
        word_field((_BELOW, _SECTIONS))
    with picture:
        _, counts = _counted(kind, n_merges, says=True)
        if counts:
            render_table(probabilities(counts), source, is_hidden)


@fragment(key=_BELOW)
def _render_below(kind: str, n_merges: int, source: str, is_hidden: bool) -> None:
    words, counts = _counted(kind, n_merges)
    if counts:
        render_below(words, probabilities(counts), source, is_hidden)


@fragment(key=_SECTIONS)
def _render_sections(kind: str, n_merges: int, source: str, is_hidden: bool) -> None:
    words, counts = _counted(kind, n_merges)
    if not counts:
        return
    prob = probabilities(counts)
    _render_counts(counts, words)
    if chosen_preset(_PAGE) == "hug" and len(counts) == len(strict_substrings(words)):
        _render_sources(counts, prob)
    word, word_prob = word_in(prob, source)
    if word and not is_hidden:
        render_segmentations(word, word_prob, counts if source == CORPUS else None, words_text(words))
    places = open_lines(_PAGE, {"em": t("learn_unigram.em_heading"), "pruning": t("learn_unigram.pruning")}, _TRAINING)
    if "em" in places:
        with places["em"]:
            render_em(words, prob)
    if "pruning" in places:
        with places["pruning"]:
            render_pruning(words, counts)


def _counted(kind: str, n_merges: int, says: bool = False) -> tuple[dict[str, int], dict[str, int]]:
    """The words and their seed vocabulary, empty where it cannot be used; `says` as in `usable_words`."""
    words = usable_words(_PAGE, _WORDS, says)
    counts = _base(words, kind, n_merges) if words else {}
    if len(counts) <= _MAX_BASE:
        return words, counts
    if says:
        st.warning(t("learn_unigram.too_many", count=len(counts), limit=_MAX_BASE), icon=":material/block:")
    return words, {}


heading(_PAGE)
view = layout(is_live=True)
render_exercises(_PAGE)
kind, n_merges, source = _choose(view)
with view.scrubber:
    below = st.container(gap="xsmall")
    is_hidden = hides_answers()
with view.picture:
    _render_live(kind, n_merges, source, is_hidden)
with below:
    _render_below(kind, n_merges, source, is_hidden)
with view.sections:
    _render_sections(kind, n_merges, source, is_hidden)
