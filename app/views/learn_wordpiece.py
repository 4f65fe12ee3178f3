"""WordPiece against BPE on the same words: two orders of merges, then the longest match."""

import pandas as pd
import streamlit as st

from app import state
from app.components.choices import url_choice
from app.components.data_table import render_data
from app.components.merge_frames import match_frames, merge_frames, pair_text
from app.components.stepper import stepper
from app.components.stepper_labels import stepper_labels
from app.components.toy_words import render_toy_words
from app.i18n import language, t
from engine.lessons.toy_merges import ToyStep, max_match_steps, merge_steps
from engine.merges.settings import MergeSettings

_MAX_WORD = 40


def _settings(prefix: str, score: str) -> MergeSettings:
    return MergeSettings(algorithm="wordpiece", vocab_size=None, continuing=prefix, score=score)


def _orders(bpe: list[ToyStep], wordpiece: list[ToyStep]) -> pd.DataFrame:
    """Merges of both, side by side, with the numbers that decided them."""
    rows = []
    for k in range(max(len(bpe), len(wordpiece))):
        left = bpe[k] if k < len(bpe) else None
        right = wordpiece[k] if k < len(wordpiece) else None
        if not (left and left.chosen) and not (right and right.chosen):
            continue
        row: dict[str, object] = {"number": k + 1}
        if left and left.chosen:
            row |= {"bpe": pair_text(left.chosen), "count": left.pairs[0].frequency}
        if right and right.chosen:
            best = next(one for one in right.pairs if one.pair == right.chosen)
            row |= {
                "wordpiece": pair_text(right.chosen),
                "formula": f"{best.frequency} / ({best.left_frequency} × {best.right_frequency})",
                "score": best.score,
            }
        rows.append(row)
    return pd.DataFrame(rows, columns=["number", "bpe", "count", "wordpiece", "formula", "score"])


def _render_orders(table: pd.DataFrame) -> None:
    st.header(t("learn_wordpiece.orders"))
    st.markdown(t("learn_wordpiece.orders_text"))
    column = st.column_config
    columns = {
        "number": column.NumberColumn(t("learn_wordpiece.column.number"), format="%d", width="small"),
        "bpe": column.TextColumn(t("learn_wordpiece.column.bpe")),
        "count": column.NumberColumn(t("learn_wordpiece.column.count"), format="%d"),
        "wordpiece": column.TextColumn(t("learn_wordpiece.column.wordpiece")),
        "formula": column.TextColumn(t("learn_wordpiece.column.formula")),
        "score": column.NumberColumn(t("learn_wordpiece.column.score"), format="%.5f"),
    }
    st.dataframe(table, hide_index=True, column_config=columns, height=min(38 + 35 * len(table), 460))
    render_data("merge-orders", table, columns)


def _render_match(vocabulary: tuple[str, ...], settings: MergeSettings) -> None:
    st.header(t("learn_wordpiece.match"))
    st.markdown(t("learn_wordpiece.match_text"))
    key = "learn_wordpiece.word"
    state.adopt("word", key, state.unpack_text)
    st.session_state.setdefault(key, "unaffable")
    word = st.text_input(t("learn_bpe.word"), key=key, max_chars=_MAX_WORD, persist_state="session") or ""
    state.publish("word", None if word == "unaffable" else state.pack_text(word))
    more = "learn_wordpiece.more"
    state.adopt("tokens", more, state.unpack_text)
    st.session_state.setdefault(more, "")
    extra = st.text_input(
        t("learn_wordpiece.more"), key=more, max_chars=200, help=t("learn_wordpiece.more_help"),
        persist_state="session",
    )  # fmt: skip
    state.publish("tokens", state.pack_text(extra) if extra else None)
    if not word.strip():
        st.info(t("learn_bpe.word_empty"), icon=":material/edit:")
        return
    steps = max_match_steps(word.strip(), {*vocabulary, *(extra or "").split()}, settings)
    frames = match_frames(word.strip(), steps, settings.unknown)
    stepper("learn_wordpiece.match", frames, stepper_labels(title=t("learn_wordpiece.match")), ui_lang=language())
    if steps[-1].token == settings.unknown:
        st.warning(t("learn_wordpiece.unknown", token=settings.unknown), icon=":material/help:")


st.title(t("learn_wordpiece.title"))
st.markdown(t("learn_wordpiece.intro"))
words = render_toy_words("learn_wordpiece", "unaffable")
left, right = st.columns(2)
with left:
    marks = {name: t(f"learn_wordpiece.prefix.{name}") for name in ("hashes", "none")}
    prefix = url_choice("prefix", t("learn_wordpiece.prefix.label"), marks, "hashes")
with right:
    score = url_choice(
        "score", t("learn_wordpiece.score.label"),
        {name: t(f"learn_wordpiece.score.{name}") for name in ("likelihood", "frequency")}, "likelihood",
    )  # fmt: skip
n_merges = st.slider(t("learn_bpe.merges"), 1, 40, 12, key="merges", bind="query-params", persist_state="session")
mark = "##" if prefix == "hashes" else ""
bpe_steps = merge_steps(words, _settings(mark, "frequency"), n_merges)
steps = merge_steps(words, _settings(mark, score), n_merges)
_render_orders(_orders(bpe_steps, steps))
st.header(t("learn_wordpiece.run"))
stepper(
    "learn_wordpiece.run", merge_frames(steps, score == "likelihood"),
    stepper_labels(title=t("learn_wordpiece.run")), ui_lang=language(),
)  # fmt: skip
_render_match(steps[-1].vocabulary, _settings(mark, score))
