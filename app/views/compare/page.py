"""Compare: vocabularies side by side, how predictable their tokens are, the paper's ablation, ids decoded wrongly."""

from app.parts.layout import heading, layout
from app.views.compare.ablation import render_ablation
from app.views.compare.decode import render_decode
from app.views.compare.prediction import render_prediction
from app.views.compare.vocabularies import render_vocabularies

_VIEWS = {
    "vocabularies": render_vocabularies,
    "prediction": render_prediction,
    "ablation": render_ablation,
    "decode": render_decode,
}

_VIEWS[heading("compare", tuple(_VIEWS))](layout())
