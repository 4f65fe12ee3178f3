"""Compare: vocabularies side by side, what is wrong in each, the paper's ablation."""

from app.parts.layout import heading, layout
from app.views.compare.ablation import render_ablation
from app.views.compare.audit import render_audit
from app.views.compare.vocabularies import render_vocabularies

_VIEWS = {"vocabularies": render_vocabularies, "audit": render_audit, "ablation": render_ablation}

_VIEWS[heading("compare", tuple(_VIEWS))](layout())
