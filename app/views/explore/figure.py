"""The strips of Explore alone, for slides and other sites."""

import streamlit as st

from app.parts.figure_alone import alone_tokenizers
from app.parts.side_by_side import LAYERS, cut_text, render_strips
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import OTHERS
from app.parts.tokens.morpheme_layer import layer_of, linked_options
from app.texts.presets import PRESETS

TEXT = url_text("text", "explore.text", PRESETS["sweet_potato"])
_MAX_TEXT = 2000


def render_strip_figure() -> None:
    """The text of the link under its tokenizers."""
    cut = cut_text("explore", alone_tokenizers(OTHERS.adopt()), TEXT.adopt()[:_MAX_TEXT])
    layers = [layer for layer in LAYERS if st.query_params.get(layer) == "true"]
    options = linked_options()
    layer = layer_of("explore", options, cut.text) if options else None
    render_strips("explore", cut, layers, show_help=False, layer=layer)
