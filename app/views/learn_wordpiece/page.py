"""WordPiece and BPE on the same words: two orders of merges, then longest match."""

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, set_choice, url_choice
from app.parts.data_table import render_data
from app.parts.hidden_answers import hides_answers
from app.parts.layout import Layout, heading, layout, live_layout
from app.parts.tables.learn.merge_frames import replay_words
from app.parts.tables.learn.merges import formula, gain, orders_table, pair_text
from app.parts.tables.learn.wordpiece_frames import match_frames, versus_frames
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.toy_words import (
    MERGING,
    follow_preset,
    merges_slider,
    render_presets,
    render_words_field,
    render_words_to_segment,
    usable_words,
    word_to_segment,
    words_text,
)
from app.parts.url_stepper import url_stepper
from app.session.page_run import fragment
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.toys.merges import PairScore, ToyStep, merge_steps
from engine.merge_settings import MergeSettings

_PAGE, _WORDS = "learn_wordpiece", "unaffable"
_WORD = word_to_segment(_PAGE, _WORDS)
# The parts of the page that run on their own: what follows the keys, and what follows a pause.
_LIVE, _SECTIONS = "learn_wordpiece.live", "learn_wordpiece.sections"
_MORE = url_text("tokens", "learn_wordpiece.more", "")

# The prefix of a piece inside a word, and the end-of-word symbol.
_PREFIXES = {"hashes": ("##", ""), "none": ("", ""), "underscore": ("", "_")}

# Words to segment by longest match, and a vocabulary for them.
_EXAMPLES = {
    "unaffable": ("unaffable", "un una ##ffa ##ble"),
    "unlearnable": ("unhappiness is unlearnable", "un ##happiness is ##learn ##able"),
}

# The lesson's example: a frequent pair, and a pair whose parts rarely occur apart.
_LESSON = (PairScore(("t", "h"), 1000, 5000, 3000, 0.0), PairScore(("q", "u"), 200, 210, 2000, 0.0))


def _use_preset(name: str) -> None:
    """Set what goes with the chosen words: something to segment, and the slides' settings (by frequency, no ##)."""
    is_slides = name == "low_slides"
    set_choice("prefix", "underscore" if is_slides else "hashes")
    set_choice("score", "frequency" if is_slides else "likelihood")
    set_choice("from", "learned")
    _MORE.set("")
    follow_preset(name, _WORD, [word for word, _ in _EXAMPLES.values()])


def _choose(view: Layout) -> tuple[str, str]:
    """The prefix of continuing pieces, and what WordPiece ranks pairs by."""
    prefixes = {name: t(f"learn_wordpiece.prefix.{name}") for name in _PREFIXES}
    scores = {name: t(f"learn_wordpiece.score.{name}") for name in ("likelihood", "frequency")}
    prefix = prefixes[read_choice("prefix", prefixes, "hashes")]
    score = scores[read_choice("score", scores, "likelihood")]
    with view.settings(t("learn_wordpiece.settings", prefix=plain(prefix), score=plain(score))):
        return (
            url_choice("prefix", t("learn_wordpiece.prefix.label"), prefixes, "hashes"),
            url_choice("score", t("learn_wordpiece.score.label"), scores, "likelihood"),
        )


def _settings(prefix: str, score: str) -> MergeSettings:
    continuing, end = _PREFIXES[prefix]
    return MergeSettings(
        algorithm="wordpiece", vocab_size=None, continuing=continuing, end_of_word=end, mark_place="symbol", score=score
    )


def _render_orders(table: pd.DataFrame, words: dict[str, int]) -> None:
    st.header(t("learn_wordpiece.orders"))
    st.markdown(t("learn_wordpiece.orders_text"))
    column = st.column_config
    columns = {
        "number": column.NumberColumn(t("learn_wordpiece.column.number"), format="%d", width="small"),
        "bpe": column.TextColumn(t("learn_wordpiece.column.bpe")),
        "count": column.NumberColumn(t("learn_bpe.column.count"), format="%d"),
        "wordpiece": column.TextColumn(t("learn_wordpiece.column.wordpiece")),
        "formula": column.TextColumn(t("learn_bpe.column.formula")),
        "score": column.NumberColumn(t("learn_bpe.column.score"), format="%.5f"),
    }
    height = min(38 + 35 * len(table), 460)
    st.dataframe(table, hide_index=True, column_config=columns, height=height, placeholder="")
    render_data("merge-orders", table, columns, of=words_text(words))


def _render_lesson() -> None:
    with st.container(border=True):
        st.markdown(t("learn_wordpiece.lesson"))
        names = ("pair", "count", "formula", "score")
        rows = [(pair_text(row.pair), row.frequency, formula(row), f"{gain(row):.1e}") for row in _LESSON]
        table = pd.DataFrame(rows, columns=[t(f"learn_bpe.column.{name}") for name in names])
        st.dataframe(table, hide_index=True, width="content")
        st.caption(t("learn_wordpiece.lesson_note"))


def _use_example(name: str) -> None:
    word, tokens = _EXAMPLES[name]
    _WORD.set(word)
    _MORE.set(tokens)
    set_choice("from", "own")


def _vocabulary(learned: tuple[str, ...]) -> tuple[set[str], bool]:
    """The learned vocabulary plus the visitor's tokens, or only the visitor's tokens; and whether it is the former."""
    origins = {name: t(f"learn_wordpiece.from.{name}") for name in ("learned", "own")}
    origin = url_choice("from", t("learn_wordpiece.from.label"), origins, "learned")
    label, help_text = t(f"learn_wordpiece.more.{origin}"), t("learn_wordpiece.more.help")
    written = live_field(_MORE, label, most=400, has_lines=False, help=help_text)
    is_learned = origin == "learned"
    return {*(learned if is_learned else ()), *written.split()}, is_learned


@fragment(waits=False)
def _render_match(bpe: list[ToyStep], learned: tuple[str, ...], settings: MergeSettings) -> None:
    st.header(t("learn_wordpiece.match.heading"))
    st.markdown(t("learn_wordpiece.match.text"))
    with st.container(horizontal=True, key="learn_wordpiece.examples"):
        for name in _EXAMPLES:
            label = t(f"learn_wordpiece.example.{name}")
            st.button(label, key=f"learn_wordpiece.example.{name}", on_click=_use_example, args=(name,))
    words = render_words_to_segment(_WORD)
    vocabulary, is_learned = _vocabulary(learned)
    if not words:
        return
    merges = [step.chosen for step in bpe if step.chosen]
    replayed = None
    if is_learned:
        known = bpe[-1].vocabulary
        cut = replay_words(words, merges, settings)[-1].words
        replayed = [[token if token in known else settings.unknown for token in symbols] for symbols in cut]
    frames = match_frames(words, vocabulary, settings, replayed, language())
    of = (tuple(words), tuple(sorted(vocabulary)), settings)
    url_stepper("at", frames, of, t("learn_wordpiece.match.heading"))
    st.caption(t("learn_wordpiece.match.textbook"))


@fragment(key=_LIVE, waits=False)
def _render_live(prefix: str, score: str, n_merges: int, is_hidden: bool) -> None:
    """The words and both orders of merges, which follow the keys."""
    topic, picture = live_layout()
    with topic:
        render_words_field(_PAGE, _WORDS, (_SECTIONS,))
    with picture:
        if words := usable_words(_PAGE, _WORDS):
            bpe, steps = _both(words, prefix, score, n_merges)
            frames = versus_frames(bpe, steps, score, language(), is_hidden)
            url_stepper("step", frames, (tuple(words.items()), prefix, score, is_hidden), t("learn_wordpiece.title"))


@fragment(key=_SECTIONS)
def _render_sections(prefix: str, score: str, n_merges: int, is_hidden: bool) -> None:
    words = usable_words(_PAGE, _WORDS, says=False)
    if not words:
        return
    bpe, steps = _both(words, prefix, score, n_merges)
    if not is_hidden:
        _render_orders(orders_table(bpe, steps), words)
        _render_lesson()
    _render_match(bpe, steps[-1].vocabulary, _settings(prefix, score))


def _both(words: dict[str, int], prefix: str, score: str, n_merges: int) -> tuple[list[ToyStep], list[ToyStep]]:
    """The steps of BPE and of WordPiece."""
    ranks = ("frequency", score)
    first, second = (merge_steps(words, _settings(prefix, rank), n_merges) for rank in ranks)
    return first, second


heading(_PAGE, pages=MERGING)
view = layout(is_live=True)
prefix, score = _choose(view)
with view.scrubber:
    n_merges = merges_slider(12)
    render_presets(_PAGE, _WORDS, _use_preset)
    is_hidden = hides_answers()
with view.picture:
    _render_live(prefix, score, n_merges, is_hidden)
with view.sections:
    _render_sections(prefix, score, n_merges, is_hidden)
