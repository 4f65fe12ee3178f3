"""The strips of Explore alone, for slides and other sites, and the line with their address."""

from collections.abc import Sequence

import streamlit as st

from app.parts.figure_alone import alone_tokenizers, render_embed_line
from app.parts.side_by_side import LAYERS, Cut, cut_text, render_strips
from app.parts.texts.text_link import url_text
from app.parts.tokenizers.tokenizer_set import OTHERS
from app.parts.tokens.morpheme_layer import MorphemeLayer, layer_in_url, layer_of, linked_options
from app.session import state
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


def render_strip_address(cut: Cut, layers: Sequence[str], layer: MorphemeLayer | None) -> None:
    """The address that embeds these strips elsewhere."""
    others = [str(active.reference) for active in cut.shown[1:]]
    text = state.pack_text(cut.text[:_MAX_TEXT])
    render_embed_line(
        "strip",
        {"text": text, OTHERS.param: OTHERS.encode(others), **dict.fromkeys(layers, "true")}
        | layer_in_url("explore", layer),
    )
