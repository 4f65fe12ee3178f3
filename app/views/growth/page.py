"""Vocabulary size: the effect of a larger one, of another training language, another mixture or one more language."""

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice, url_choices
from app.parts.data_table import render_data
from app.parts.figures.lines import growth_figure
from app.parts.hidden_answers import render_exercises
from app.parts.layout import Layout, heading, layout, render_figure
from app.parts.problem import reason
from app.parts.tables.growth import growth_table
from app.parts.texts.text_set import text_name
from app.parts.tokenizers.tokenizer_set import ready_references, render_others
from app.server.remember import remember
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer, ask_for
from app.session.reference import ModelReference
from app.session.state import is_own
from app.session.titles import algorithm_title
from app.texts.corpora import ALL, builtin_corpus, builtin_text
from app.texts.i18n import language, t
from app.texts.plain import plain
from app.views.growth.languages import render_languages
from app.views.growth.matrix import render_matrix
from app.views.growth.mixture import render_mixture
from engine.errors import InputError

_CODES = ("thunder-tok", "unigram", "byte-bpe", "bpe-mecab")
# Pruning starts large and merging starts small: these sizes give both a wide range.
_SIZES = {"thunder-tok": 400, "unigram": 400, "byte-bpe": 12_000, "bpe-mecab": 12_000}
_TEXTS = ("parallel.ko", "parallel.en", "ko.news", "ko.reviews", "web.code")
_MAX_CURVES = 200
_VALUES = ("fertility", "tokens", "tokens_per_line")


def _curve(active: ActiveTokenizer, text_id: str) -> pd.DataFrame | None:
    """The curve of one tokenizer; None if it cannot encode the text. A visitor's own is cached in the session only."""
    is_shared = active.source is not None and active.source.is_builtin

    def measure() -> pd.DataFrame:
        return growth_table(active.model, builtin_text(text_id).sentences())

    try:
        return remember("growth", (active.sha256, text_id), measure, _MAX_CURVES, is_shared=is_shared)
    except InputError as error:  # an imported vocabulary may lack a character and have no unknown token
        st.warning(plain(f"{active.title}: {reason(error)}"), icon=":material/warning:")
        return None


def render_curves(view: Layout) -> None:
    """Choose corpus, text, tokenizers and measure."""
    corpora = {name: t(f"growth.on.{name}") for name in ("ko", ALL)}
    texts = {id_: text_name(id_) for id_ in _TEXTS}
    values = {name: t(f"growth.value.{name}") for name in _VALUES}
    summary = (
        corpora[read_choice("on", corpora, "ko")],
        texts[read_choice("text", texts, "parallel.ko")],
        values[read_choice("value", values, "fertility")],
    )
    with view.settings(" · ".join(summary)):
        corpus = url_choice("on", t("growth.on.label"), corpora, "ko")
        text_id = url_choice("text", t("growth.text"), texts, "parallel.ko")
        value = url_choice("value", t("growth.value.label"), values, "fertility")
        codes = url_choices(
            "tokenizers", t("growth.tokenizers"), {code: t(f"train.algorithm.{code}") for code in _CODES}
        )
        others = render_others()
    source = builtin_corpus(corpus)
    references = [ModelReference(source.id, taught_settings(code, _SIZES[code])) for code in codes]
    if is_own("on", "tokenizers"):
        ask_for(references)
    with view.pending:
        models = ready_references(list(dict.fromkeys([*references, *others])))
    with view.picture:
        table = _curves(models, others, text_id)
        title = t("growth.curves_title", text=text_name(text_id))
        axes = (t("growth.axis.size"), values[value])
        figure = growth_figure(table, "tokenizer", value, title, axes, language())
        render_figure(figure, "growth.curves", title)
    with view.sections:
        st.caption(t("growth.curves_note"))
        if len(table):
            names = ("tokenizer", "vocab_size", "step", "tokens", "fertility", "tokens_per_line")
            render_data("growth", table, {name: t(f"growth.column.{name}") for name in names}, of=builtin_text(text_id))


def _curves(models: list[ActiveTokenizer], others: list[ModelReference], text_id: str) -> pd.DataFrame:
    parts = []
    for active in models:
        curve = _curve(active, text_id)
        if curve is not None:
            name = active.title if active.reference in others else algorithm_title(active.reference.settings)
            parts.append(curve.assign(tokenizer=name))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


_VIEWS = {"curves": render_curves, "matrix": render_matrix, "mixture": render_mixture, "languages": render_languages}

current = heading("growth", tuple(_VIEWS))
view = layout()
render_exercises("growth")
_VIEWS[current](view)
