"""Scores: branching entropy, probability and their product, token by token."""

from app.parts.layout import heading
from app.parts.tokenizers.active_model import active_model
from app.views.scores.distributions import render_distributions
from app.views.scores.scatter import render_scatter

_VIEWS = {"scatter": render_scatter, "distributions": render_distributions}

view = heading("scores", tuple(_VIEWS))
_VIEWS[view](active_model())
