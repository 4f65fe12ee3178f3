"""Search a corpus: what is key in its parts."""

from app.parts.layout import heading
from app.views.search.compare import render_compare

heading("search")
render_compare()
