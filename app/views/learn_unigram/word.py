"""One word under the Unigram LM: the Viterbi table step by step, then all segmentations with their products."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from app.components.players import viterbi_stepper
from app.parts.choices import example_choice, set_choice, url_choice
from app.parts.data_table import download_csv, draw_table, headings, render_data
from app.parts.tables.learn.unigram import (
    BEST,
    TIE,
    cell_table,
    listed_segmentations,
    segmentation_table,
    toy_viterbi_data,
)
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.toy_words import in_language
from app.session.url import UrlValue
from app.texts.corpora import Text
from app.texts.i18n import t
from app.texts.plain import plain
from app.toys.unigram import TEXTBOOK, best_segmentation

MAX_WORD = 12
_MAX_LISTED = 200
CORPUS, GIVEN, WITHOUT = "corpus", "textbook", "without"

# For each toy corpus a word outside it that has several segmentations.
WORDS = {
    "hug": "unhug",
    "low_slides": "lower",
    "low_lesson": "lower",
    "low_textbook": "lowest",
    "korean": "마시기",
    "stems": "talk",
    "endings": "웃는다",
    "unaffable": "unquiet",
}


def _word() -> UrlValue[str]:
    return url_text("word", "learn_unigram.word", WORDS[in_language("hug")])


def use_words_of(preset: str) -> None:
    _word().set(WORDS.get(preset, ""))
    set_choice("p", CORPUS)


def _use(name: str) -> None:
    """A word, or "cats" with the probabilities of this name."""
    _word().set("cats" if name in (GIVEN, WITHOUT) else name)
    set_choice("p", name if name in (GIVEN, WITHOUT) else CORPUS)
    st.rerun()


def choose_probabilities() -> str:
    sources = {name: t(f"learn_unigram.from.{name}") for name in (CORPUS, GIVEN, WITHOUT)}
    return url_choice("p", t("learn_unigram.from.label"), sources, CORPUS, t("learn_unigram.from.help"))


def word_field(then: Sequence[str]) -> None:
    """The field for the word; `word` in the URL, where `render_below` puts it."""
    live_field(_word(), t("learn_unigram.word"), then=then, most=200, has_lines=False)


def _typed() -> str:
    return "".join(_word().value.split())


def _probabilities(prob: Mapping[str, float], source: str) -> Mapping[str, float]:
    """`prob` for CORPUS, or one of the textbook's tables."""
    if source == CORPUS:
        return prob
    return {token: math.exp(value) for token, value in TEXTBOOK.items() if source == GIVEN or token != "cats"}


def word_in(prob: Mapping[str, float], source: str) -> tuple[str, Mapping[str, float]]:
    """The word, "" if it cannot be segmented, and the probabilities of the source."""
    word, prob = _typed()[:MAX_WORD], _probabilities(prob, source)
    return "" if any(char not in prob for char in word) else word, prob


def render_below(words: Mapping[str, int], prob: Mapping[str, float], source: str, is_hidden: bool) -> None:
    """Some words, and the best segmentation of the current one."""
    _word().publish(_word().adopt())
    known = [word for word in WORDS.values() if all(char in prob for char in word)]
    quick = list(dict.fromkeys([*known[:2], *(word for word in words if 2 < len(word) <= MAX_WORD)]))[:6]
    names = dict(zip(quick, quick, strict=True)) | {name: t(f"learn_unigram.use.{name}") for name in (GIVEN, WITHOUT)}
    current = source if _typed() == "cats" and source != CORPUS else _typed()
    example_choice("learn_unigram.word_example", names, _use, current if current in names else None)
    if len(_typed()) > MAX_WORD:
        st.caption(t("learn_unigram.word_cut", limit=MAX_WORD))
    if source != CORPUS:
        st.caption(t(f"learn_unigram.source.{source}"))
    word, prob = word_in(prob, source)
    if word:
        _render_best(word, prob, is_hidden)


def render_table(prob: Mapping[str, float], source: str, is_hidden: bool) -> None:
    """The Viterbi table of the word, at its beginning as every player.

    Parameters
    ----------
    source : CORPUS for `prob`, or one of the textbook's tables.
    is_hidden : whether the best segmentation is only revealed step by step (`app.parts.hidden_answers`).
    """
    word, prob = _typed()[:MAX_WORD], _probabilities(prob, source)
    missing = [char for char in dict.fromkeys(word) if char not in prob]
    if not word:
        st.info(t("learn_unigram.word_empty"), icon=":material/edit:")
    elif missing:
        st.info(t("learn_unigram.missing", chars=plain(" ".join(missing))), icon=":material/help:")
    else:
        viterbi_stepper("learn_unigram.viterbi", toy_viterbi_data(word, prob), start=0, hidden=is_hidden)


def _render_best(word: str, prob: Mapping[str, float], is_hidden: bool) -> None:
    if not is_hidden:
        tokens, log_prob = best_segmentation(word, prob)
        best = plain(" | ".join(tokens))
        st.markdown(t("learn_unigram.viterbi_end", tokens=best, log_prob=log_prob, prob=math.exp(log_prob)))
    st.caption(t("learn_unigram.viterbi_text", count=2 ** (len(word) - 1), n=len(word)))


def render_segmentations(word: str, prob: Mapping[str, float], counts: Mapping[str, int] | None, of: Text) -> None:
    """All segmentations of the word with their probabilities."""
    st.header(t("learn_unigram.segmentations"))
    found = listed_segmentations(word, prob)
    table = segmentation_table(found, prob, counts)
    ties = int((table["verdict"] == TIE).sum())
    st.markdown(t("learn_unigram.segmentations_text", count=len(found), share=100 * table["share"].iloc[0]))
    if ties:
        st.markdown(t("learn_unigram.tied", count=ties + 1, tokens=plain(str(table["tokens"].iloc[0]))))
    marks = {BEST: f"✓ {t('learn_unigram.verdict.best')}", TIE: f"= {t('learn_unigram.verdict.tie')}", "": ""}
    table["verdict"] = table["verdict"].map(marks)
    columns = headings("learn_unigram.column", tokens="", product=st.column_config.TextColumn(width="large"))
    columns |= headings("learn_unigram.column", prob="%.9f", log_prob="%.3f", share="%.2f%%", verdict="")
    shown = table.head(_MAX_LISTED)
    draw_table(shown.assign(share=100 * shown["share"]), columns, "learn_unigram.segmentations", 330)
    download_csv("segmentations", lambda: table, of=of)
    st.caption(t("learn_unigram.cells"))
    cells = headings("learn_unigram.column", position="", part="", tokens="", log_prob="%.6f", prob="%.6f")
    cells["tokens"]["label"] = t("learn_unigram.column.best")
    render_data("viterbi", cell_table(word, prob), cells, of=of)
