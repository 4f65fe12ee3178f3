"""Morphology: which tokenizer preserves morphemes, by part of speech; verb forms; the effect of jamo."""

from app.parts.layout import heading, layout
from app.server.work.kernels import KernelsNotReadyError
from app.session.page_run import render_preparing
from app.views.morphology.gold import render_scores
from app.views.morphology.grid import render_grid
from app.views.morphology.jamo import render_jamo
from app.views.morphology.tags import render_tags

_VIEWS = {"scores": render_scores, "tags": render_tags, "grid": render_grid, "jamo": render_jamo}

section = heading("morphology", list(_VIEWS))
view = layout()
try:
    _VIEWS[section](view)
except KernelsNotReadyError:
    with view.picture:
        render_preparing()
