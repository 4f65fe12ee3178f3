"""Morphology: which tokenizer preserves morphemes, by part of speech; verb forms; the effect of jamo."""

import streamlit as st

from app.parts.choices import read_choice, url_choice
from app.parts.layout import Layout, heading, layout
from app.server.work.kernels import KernelsNotReadyError
from app.session.page_run import render_preparing
from app.texts.i18n import t
from app.views.morphology.gold import render_scores
from app.views.morphology.grid import render_grid
from app.views.morphology.jamo import render_jamo
from app.views.morphology.tags import render_tags


def _render_morphemes(view: Layout) -> None:
    """By tokenizer or by part of speech."""
    kinds = {"tokenizer": render_scores, "tag": render_tags}
    with view.scrubber:
        names = {name: t(f"morphology.per.{name}") for name in kinds}
        kind = url_choice("per", t("morphology.per.label"), names, "tokenizer")
    kinds[kind](view)


def _sentence(view: str) -> str:
    is_by_tag = view == "scores" and read_choice("per", ("tokenizer", "tag"), "tokenizer") == "tag"
    return t("morphology.per.tag_intro") if is_by_tag else ""


_VIEWS = {"scores": _render_morphemes, "grid": render_grid, "jamo": render_jamo}

if st.query_params.get("view") == "tags":  # of earlier links
    del st.query_params["view"]
    st.query_params["per"] = "tag"
section = heading("morphology", list(_VIEWS), _sentence)
view = layout()
try:
    _VIEWS[section](view)
except KernelsNotReadyError:
    with view.picture:
        render_preparing()
