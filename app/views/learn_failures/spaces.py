"""Tokens across spaces: one sentence under one algorithm, with and without tokens that cross a space.

It is here and not on Explore because a teacher looks for it with the other topics on spaces.
"""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from app.parts.choices import read_choice, url_choice
from app.parts.data_table import render_data
from app.parts.layout import Layout
from app.parts.side_by_side import Cut, cut_text, render_strips
from app.parts.tokenizers.tokenizer_set import ready_references
from app.session.comparison import taught_settings
from app.session.models import ActiveTokenizer
from app.session.reference import ModelReference
from app.texts.corpora import ALL, builtin_corpus, own_text
from app.texts.i18n import t
from app.texts.plain import visible_space
from engine.shipped.catalogue import SHIPPED

# Pre-tokenization: within words, as in GPT-2; phrases of words, as in Thunder-Tok; only line ends.
_PRETOKENIZERS = {"within": "gpt2", "phrases": "thunder-tok", "anywhere": "none"}
_SHIPPED = {"within": "byte-bpe-32k", "phrases": "byte-bpe-thunder-tok-32k"}
_SMALL_SIZE = 8000


def _references(corpus: str) -> dict[str, ModelReference]:
    """The options of the switch: tokenizers that differ only in pre-tokenization."""
    if corpus == "large":
        return {way: ModelReference(SHIPPED + name) for way, name in _SHIPPED.items()}
    settings = taught_settings("byte-bpe", _SMALL_SIZE)
    source = builtin_corpus(ALL)
    return {
        way: ModelReference(source.id, replace(settings, pretokenizer=name)) for way, name in _PRETOKENIZERS.items()
    }


def choose_spaces(view: Layout) -> tuple[str, dict[str, ModelReference]]:
    """The switch, and the tokenizers of its options."""
    corpora = {name: t(f"learn_failures.across.on.{name}") for name in ("large", ALL)}
    chosen = corpora[read_choice("across", corpora, "large")]
    with view.settings(t("learn_failures.trained_on", corpus=chosen), key="across"):
        corpus = url_choice("across", t("learn_failures.corpus"), corpora, "large", t("learn_failures.across.help"))
    references = _references(corpus)
    with view.scrubber:
        way = url_choice("spaces", t("learn_failures.across.label"), _titles(references), "phrases")
        st.caption(t(f"learn_failures.across.about.{way}"))
    return way, references


def render_across(view: Layout, lines: list[str], way: str, references: Mapping[str, ModelReference]) -> None:
    """A strip per line with its number of tokens under each option."""
    titles = _titles(references)
    with view.picture:
        if not lines:
            st.info(t("learn_failures.empty"), icon=":material/edit:")
            return
        shown = ready_references(references.values(), ("across",))
        if len(shown) < len(references):
            return
        rows = [_render_line(f"failures.{k}", shown, line, way, titles, k == 0) for k, line in enumerate(lines)]
    with view.sections:
        columns = {"text": t("learn_failures.column.text"), **titles}
        render_data("across", pd.DataFrame(rows), columns, of=own_text("\n".join(lines)))
        st.markdown(t("learn_failures.across.papers"))


def _titles(references: Mapping[str, ModelReference]) -> dict[str, str]:
    return {way: t(f"learn_failures.across.{way}") for way in references}


def _render_line(
    key: str, shown: list[ActiveTokenizer], line: str, way: str, titles: Mapping[str, str], show_help: bool
) -> dict[str, str | int]:
    """The strip of one line; returns its row of the table."""
    cut = cut_text(key, shown, line)
    place = list(titles).index(way)
    render_strips(key, Cut(cut.text, [cut.segmentations[place]], [cut.shown[place]]), show_help=show_help)
    counts = {name: one.ids.size for name, one in zip(titles, cut.segmentations, strict=True)}
    said = [f"**{titles[name]} {n}**" if name == way else f"{titles[name]} {n}" for name, n in counts.items()]
    st.caption(f"{t('learn_failures.across.counts')}: {' · '.join(said)}")
    return {"text": visible_space(cut.text), **counts}
