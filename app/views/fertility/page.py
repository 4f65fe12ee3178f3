"""Fertility: the cost of texts and languages in tokens, under tokenizers trained on the same corpus."""

from app.parts.layout import heading, layout
from app.session.models import current_reference
from app.views.fertility.languages import render_languages
from app.views.fertility.texts import render_texts

_VIEWS = {"languages": render_languages, "texts": render_texts}

views = tuple(_VIEWS) if current_reference().is_shipped else tuple(_VIEWS)[::-1]
_VIEWS[heading("fertility", views)](layout())
