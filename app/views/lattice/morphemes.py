"""The best segmentation over the morphemes of the sentence."""

import streamlit as st

from app.components.pictures import token_strip
from app.parts.tables.segmentation import TextPart
from app.parts.tables.strips import strip_chars
from app.parts.tokens.morpheme_layer import layer_of, render_about, render_layer_options, render_readings
from app.parts.tokens.several_analyses import render_analyses
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.i18n import t
from app.views.lattice.tables import best_path_row, path_classes
from engine.lattice.lattice import Lattice


def render_morphemes(lattice: Lattice) -> None:
    """The switch; the best path with the morphemes below it, and manual corrections."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="lattice.options"):
        options = render_layer_options()
    layer = options and layer_of("lattice", options, lattice.text)
    if not layer:
        return
    classes = path_classes(lattice, layer.analysis) if layer.options.by_class else None
    part = TextPart(0, len(lattice.best_path), 0, lattice.n)
    token_strip(
        "lattice.strip",
        [best_path_row(lattice, t("lattice.why.best"), classes), layer.row(part)],
        chars=strip_chars(lattice.text, part),
        show_help=False,
        lang=TEXT_LANGUAGE,
    )
    render_about(layer)
    render_readings("lattice", layer)
    render_analyses(layer)
