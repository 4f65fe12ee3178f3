"""Size and data: the effect of a larger vocabulary, another training language, another mixture or one more language."""

from app.parts.layout import heading, layout
from app.views.growth.curves import render_curves
from app.views.growth.languages import render_languages
from app.views.growth.matrix import render_matrix
from app.views.growth.mixture import render_mixture

_VIEWS = {"curves": render_curves, "matrix": render_matrix, "mixture": render_mixture, "languages": render_languages}

_VIEWS[heading("growth", tuple(_VIEWS))](layout())
