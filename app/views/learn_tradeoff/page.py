"""Characters, words or subwords: vocabulary size against sequence length, and what each does not know."""

import pandas as pd
import streamlit as st

from app.parts.choices import example_choice
from app.parts.data_table import download_csv, render_data
from app.parts.figures.lines import growth_figure
from app.parts.hidden_answers import are_answers_asked_for, render_exercises
from app.parts.layout import heading, layout, render_figure
from app.parts.tables.growth import growth_table
from app.parts.tables.learn.tradeoff import LESSON_SENTENCE, LESSON_SUBWORDS
from app.parts.tables.segmentation import joined_surrogates
from app.parts.tables.tokens import visible
from app.parts.texts.live_field import live_field
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import ready_references
from app.server.remember import remember
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer
from app.session.page_run import fragment
from app.session.reference import ModelReference
from app.texts.corpora import builtin_text, own_text
from app.texts.i18n import language, t
from app.views.learn_tradeoff.unknown import TEST, render_unknown
from engine.merges.vocabulary import bytes_label

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


@fragment(waits=False)
def _render_ways(shown_models: list[ActiveTokenizer]) -> None:
    """One text segmented by each tokenizer; `sentence` in the URL."""
    st.subheader(t("learn_tradeoff.ways"))
    st.markdown(t("learn_tradeoff.ways_text"))
    typed = live_field(_TEXT, t("learn_tradeoff.text"), most=100_000, help="")
    text = joined_surrogates(typed)
    shown = next((name for name, example in _PRESETS.items() if text == example), None)
    names = {name: example[:26] for name, example in _PRESETS.items()}
    example_choice("learn_tradeoff.example", names, lambda name: _TEXT.set(_PRESETS[name]), shown)
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
render_exercises("learn_tradeoff")
if not are_answers_asked_for(view):
    st.stop()
references = [ModelReference("ko", taught_settings(code, size)) for code, size in _MODELS.items()]
with view.sections:
    of_models = st.container()
    render_unknown()  # needs no model: it is there while they are trained
with view.pending:
    models = ready_references(references, ())
with view.picture:
    parts = [_curve(active).assign(tokenizer=active.title) for active in models]
    curves = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    _render_lengths(curves)
with view.scrubber:
    st.caption(t("learn_tradeoff.lengths_text"))
with of_models:
    if models:
        _render_numbers(curves)
        _render_ways(models)
