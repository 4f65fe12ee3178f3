"""Characters, words or subwords: vocabulary size against sequence length, and the cost of each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from app.parts.choices import url_choice
from app.parts.data_table import download_csv, render_data
from app.parts.figures.lines import growth_figure
from app.parts.hidden_answers import are_answers_asked_for
from app.parts.layout import heading, layout, render_figure
from app.parts.tables.growth import growth_table
from app.parts.tables.learn.tradeoff import LESSON_SENTENCE, LESSON_SUBWORDS
from app.parts.tables.segmentation import joined_surrogates
from app.parts.tables.tokens import visible
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.texts.text_set import text_name
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer, ask_for
from app.session.page_run import fragment
from app.session.reference import ModelReference
from app.session.state import is_own
from app.texts.corpora import Text, own_text
from app.texts.find import find_text
from app.texts.i18n import language, t
from app.texts.measured import builtin_text
from app.texts.plain import plain
from app.views.learn_tradeoff.costs import TEST, render_costs, render_unknown
from engine.measure.description import description_by_merges
from engine.merges.vocabulary import bytes_label
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


# The Unigram LM's curve is read off its pruning rounds, so a small model contains the larger ones too.
_MODELS = {"byte-bpe": 12_000, "unigram": 2000, "words": 12_000, "characters": 2000, "bytes": 256}
_MAX, _MAX_TOKENS = 1000, 400
_PRESETS = {
    "lesson": LESSON_SENTENCE,
    "korean": "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.",
    "compound": "고양이가 자연언어처리를 배웠습니다.",
}
_TEXT = url_text("sentence", "learn_tradeoff.text", _PRESETS["compound"])


def _curve(active: ActiveTokenizer) -> pd.DataFrame:
    text = builtin_text(TEST)
    return remember("tradeoff", active.sha256, lambda: growth_table(active.model, text.sentences()), 20, is_shared=True)


def _label(active: ActiveTokenizer, token: int) -> str:
    surface = active.model.token_bytes(token)
    return visible(bytes_label(surface)) if surface else active.model.token_label(token)


def _use(text: str) -> None:
    _TEXT.set(text)


@fragment(waits=False)
def _render_ways(shown_models: list[ActiveTokenizer]) -> None:
    """One text segmented by each tokenizer; `sentence` in the URL."""
    st.header(t("learn_tradeoff.ways"))
    st.markdown(t("learn_tradeoff.ways_text"))
    typed = live_field(_TEXT, t("learn_tradeoff.text"), most=100_000, help="")
    with st.container(horizontal=True, gap="xsmall", key="learn_tradeoff.presets"):
        for name, example in _PRESETS.items():
            st.button(plain(example[:26]), key=f"learn_tradeoff.{name}", on_click=_use, args=(example,))
    text = joined_surrogates(typed)
    if len(text) > _MAX:
        st.caption(t("learn_tradeoff.text_cut", count=len(text), limit=_MAX))
        text = text[:_MAX]
    if not text.strip():
        st.info(t("explore.empty"), icon=":material/edit:")
        return
    rows = []
    for active in shown_models:
        ids = active.model.encode(text).ids
        labels = [_label(active, one) for one in ids[:_MAX_TOKENS]]
        rows.append((active.title, len(ids), " | ".join(labels)))
    if text == LESSON_SENTENCE:
        rows.append((t("learn_tradeoff.lesson"), len(LESSON_SUBWORDS), " | ".join(LESSON_SUBWORDS)))
        st.caption(t("learn_tradeoff.lesson_note", characters=len(text)))
    table = pd.DataFrame(rows, columns=["name", "n_tokens", "tokens"])
    columns = {name: t(f"learn_tradeoff.column.{name}") for name in table.columns}
    st.dataframe(table, hide_index=True, column_config=columns, key="learn_tradeoff.ways")
    download_csv("ways", lambda: table, of=own_text(text))


def _render_lengths(table: pd.DataFrame) -> None:
    title = t("learn_tradeoff.lengths_title")
    axes = (t("growth.axis.size"), t("growth.value.tokens_per_line"))
    figure = growth_figure(table, "tokenizer", "tokens_per_line", title, axes, language())
    render_figure(figure, "learn_tradeoff.lengths", title)


def _render_numbers(table: pd.DataFrame) -> None:
    names = ("tokenizer", "vocab_size", "tokens", "tokens_per_line")
    render_data("lengths", table, {name: t(f"growth.column.{name}") for name in names}, of=builtin_text(TEST))


heading("learn_tradeoff")
view = layout()
if not are_answers_asked_for(view):
    st.stop()
references = [ModelReference("ko", taught_settings(code, size)) for code, size in _MODELS.items()]
ask_for(references)
with view.sections:
    of_models = st.container()
    render_unknown()  # needs no model: it is there while they are trained
    costs = st.container()
with view.picture:
    models = ready_references(references)
    parts = [_curve(active).assign(tokenizer=active.title) for active in models]
    curves = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    _render_lengths(curves)
with view.scrubber:
    st.caption(t("learn_tradeoff.lengths_text"))
with of_models:
    if models:
        _render_numbers(curves)
        _render_ways(models)
with costs:
    largest = [part.iloc[-1] for part in parts]
    render_costs({str(row["tokenizer"]): (int(row["vocab_size"]), float(row["tokens_per_line"])) for row in largest})
with view.sections:
    render_description()
