"""A sentence and where each method cuts it: curves, rows of cuts, the matching step by step, tokens."""

from collections.abc import Sequence

import streamlit as st

from app import state
from app.components.data_table import render_data
from app.components.stepper import Frame, stepper
from app.components.stepper_labels import stepper_labels
from app.figures.boundaries import profile_figure
from app.gold import Gold
from app.i18n import language, t
from app.tables.boundaries import cuts_of, profile_table
from app.tables.segmentation import joined_surrogates
from app.text import visible_space
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.segmenter import bpe_words, pieces, train_inside
from engine.boundaries.utility import MatchingStep, UtilityMatcher

_TEXT, _MAX, _MAX_STEPS = "boundaries.text", 120, 60
_BPE_SIZE = 2000


def render_sentence(gold: Gold, ngrams: Ngrams, model: CharacterModel, lam: float, total: str, rule: str) -> None:
    """The sentence of the visitor's choice; one of the gold's has its gold row."""
    known = {"".join(words): words for words in gold.words}
    state.adopt("sentence", _TEXT, state.unpack_text)
    first = next(iter(known), "")
    if st.session_state.get(_TEXT) is None:
        st.session_state[_TEXT] = first
    typed = st.text_input(t("boundaries.sentence"), key=_TEXT, max_chars=2000, persist_state="session") or ""
    with st.container(horizontal=True, gap="xsmall", key="boundaries.examples"):
        for k, sentence in enumerate(list(known)[:6]):
            st.button(sentence[:8] + "…", key=f"boundaries.example.{k}", on_click=_use, args=(sentence,))
    text = "".join(joined_surrogates(typed).split())
    state.publish("sentence", None if text == first else state.pack_text(text))
    if not text:
        st.info(t("explore.empty"), icon=":material/edit:")
        return
    if len(text) > _MAX:
        st.caption(t("boundaries.cut_text", limit=_MAX))
        text = text[:_MAX]
    cuts = cuts_of(ngrams, model, text, lam, total, rule)
    if text in known:
        cuts = {"gold": _ends(known[text]), **cuts}
    table = profile_table(ngrams, model, text, total)
    names = {name: t(f"boundaries.curve.{name}") for name in ("pmi", "left_entropy", "right_entropy", "lm_entropy")}
    names |= {name: t(f"boundaries.row.{name}", lam=lam) for name in cuts}
    title = t("boundaries.profile_title")
    figure = profile_figure(table, cuts, names, title, language())
    st.plotly_chart(figure, key="boundaries.profile", config={"displaylogo": False}, alt=title)
    st.caption(t("boundaries.profile_note"))
    for name, ends in cuts.items():
        st.text(f"{names[name]}: " + "  ".join(pieces(text, ends)))
    columns = ("position", "character", "pmi", "left_entropy", "right_entropy", "lm_entropy")
    render_data("profile", table, {name: t(f"boundaries.column.{name}") for name in columns})
    _render_bpe(gold, ngrams, text, lam, total)
    _render_steps(UtilityMatcher(ngrams, lam, total).steps(text)[:_MAX_STEPS], text)


def _use(sentence: str) -> None:
    st.session_state[_TEXT] = sentence


def _ends(words: Sequence[str]) -> list[int]:
    ends, at = [], 0
    for word in words:
        at += len(word)
        ends.append(at)
    return ends


def _render_bpe(gold: Gold, ngrams: Ngrams, text: str, lam: float, total: str) -> None:
    """BPE on the same text, free and inside the boundaries."""
    st.subheader(t("boundaries.bpe"), anchor=False)
    matcher = UtilityMatcher(ngrams, lam, total)
    free = train_inside(gold.train, lambda line: [len(line)] if line else [], _BPE_SIZE)
    inside = train_inside(gold.train, matcher.cut, _BPE_SIZE)
    st.text(t("boundaries.bpe_free", size=free.vocab_size) + ": " + "  ".join(bpe_words(free, text, [len(text)])))
    own = bpe_words(inside, text, matcher.cut(text))
    st.text(t("boundaries.bpe_inside", size=inside.vocab_size) + ": " + "  ".join(own))


def _render_steps(steps: Sequence[MatchingStep], text: str) -> None:
    st.subheader(t("boundaries.steps"), anchor=False)
    frames = [_frame(step, text) for step in steps]
    stepper("boundaries.steps", frames, stepper_labels(title=t("boundaries.steps")), ui_lang=language())


def _frame(step: MatchingStep, text: str) -> Frame:
    rows: list[list[str | int | float]] = [
        [visible_space(text[step.begin : step.begin + one.length]), f"{one.pmi:.2f}", f"{one.entropy:.2f}",
         f"{one.utility:.2f}"] for one in step.candidates
    ]  # fmt: skip
    winner = step.candidates.index(step.winner)
    span = text[step.begin : step.begin + step.winner.length]
    return {
        "title": t("boundaries.step_title", number=step.begin + 1, span=visible_space(span)),
        "note": t("boundaries.step_note", count=len(step.candidates), span=visible_space(span)),
        "blocks": [
            {"kind": "table", "columns": [t(f"boundaries.column.{name}") for name in ("span", "min_pmi", "min_entropy",
             "utility")], "rows": rows, "marks": [{"row": winner, "column": None, "mark": "chosen"}]},
        ],
    }  # fmt: skip
