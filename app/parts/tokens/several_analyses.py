"""Several analyses of one sentence side by side, of every analyser that is in memory, with their scores."""

from typing import Any

import streamlit as st

from app.parts.data_table import download_csv
from app.parts.problem import show_problem
from app.parts.tables.morphemes import analyses_table
from app.parts.tokens.morpheme_layer import MorphemeLayer, own_analyses, own_dictionary
from app.server.remember import remember
from app.texts.corpora import own_text
from app.texts.i18n import t
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.corpus.morphemes.morpheme import ScoredAnalysis
from engine.errors import InputError

_EACH, _MAX_CHARS = 5, 300


def render_analyses(layer: MorphemeLayer) -> None:
    """A table: analyser, rank, score and morphemes, those that the best analysis does not have in brackets."""
    with st.expander(t("morpheme.several"), icon=":material/alt_route:"):
        sentence = layer.text.split("\n", 1)[0][:_MAX_CHARS]
        if not sentence.strip():
            return
        st.caption(t("morpheme.several_help"))
        if len(sentence) < len(layer.text):
            st.caption(t("morpheme.several_long", count=len(sentence)))
        found: dict[str, list[ScoredAnalysis]] = {}
        for analyser in installed_analysers():
            program = ANALYSERS[analyser]
            if program.is_slow_to_load and analyser != layer.options.analyser and not program.is_loaded():
                st.caption(t("morpheme.several_load", name=program.name))
                continue
            try:
                found[program.name] = _analyses(sentence, analyser)
            except InputError as error:
                show_problem(program.title, error)
        table = analyses_table(found)
        columns: dict[str, Any] = {name: t(f"morpheme.several_column.{name}") for name in table.columns}
        columns["score"] = st.column_config.NumberColumn(columns["score"], format="%.2f")
        columns["analysis"] = st.column_config.TextColumn(columns["analysis"], width="large")
        st.dataframe(table, hide_index=True, column_config=columns, placeholder="–")
        download_csv("morpheme-analyses", lambda: table, of=lambda: own_text(sentence))


def _analyses(sentence: str, analyser: str) -> list[ScoredAnalysis]:
    dictionary = own_dictionary(analyser)
    key = (sentence, analyser, dictionary and dictionary.digest)
    return remember("analyses", key, lambda: own_analyses(sentence, analyser, _EACH))
