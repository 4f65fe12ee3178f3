"""Morphology: which tokenizer preserves morphemes, how consistently it cuts verb forms, and the effect of jamo."""

from app.parts.layout import heading, layout
from app.server.work.kernels import KernelsNotReadyError
from app.session.preparing import render_preparing
from app.views.morphology.gold import render_scores
from app.views.morphology.grid import render_grid
from app.views.morphology.jamo import render_jamo

_VIEWS = {"scores": render_scores, "grid": render_grid, "jamo": render_jamo}

section = heading("morphology", list(_VIEWS))
view = layout()
try:
    _VIEWS[section](view)
except KernelsNotReadyError:
    with view.picture:
        render_preparing()
