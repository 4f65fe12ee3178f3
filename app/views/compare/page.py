"""Compare: vocabularies side by side, what is wrong in each, how predictable their tokens are, the paper's ablation."""

from app.parts.layout import heading, layout
from app.views.compare.ablation import render_ablation
from app.views.compare.audit import render_audit
from app.views.compare.decode import render_decode
from app.views.compare.prediction import render_prediction
from app.views.compare.vocabularies import render_vocabularies

_VIEWS = {
    "vocabularies": render_vocabularies,
    "audit": render_audit,
    "prediction": render_prediction,
    "ablation": render_ablation,
    "decode": render_decode,
}

_VIEWS[heading("compare", tuple(_VIEWS))](layout())
