"""The best segmentation over the morphemes of the sentence."""

import streamlit as st

from app.components.strip.widget import token_strip
from app.parts.microscope import render_about, render_look, render_readings, sight_of
from app.parts.tables.segmentation import Stretch
from app.parts.tables.strips import strip_chars
from app.texts.i18n import t
from app.views.lattice.tables import best_path_row, path_classes
from engine.unigram.lattice import Lattice


def render_morphemes(lattice: Lattice) -> None:
    """The switch; the best path and the morphemes under it, and what is corrected by hand."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="lattice.look"):
        look = render_look()
    sight = look and sight_of("lattice", look, lattice.text)
    if not sight:
        return
    classes = path_classes(lattice, sight.analysis) if sight.look.by_class else None
    part = Stretch(0, len(lattice.best_path), 0, lattice.n)
    token_strip(
        "lattice.strip",
        [best_path_row(lattice, t("lattice.why.best"), classes), sight.row(part)],
        chars=strip_chars(lattice.text, part),
        show_help=False,
    )
    render_about(sight)
    render_readings("lattice", sight)
