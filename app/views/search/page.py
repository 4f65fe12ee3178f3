"""Search a corpus: its lines, collocates, what is frequent, where it is, and what is key in its parts."""

from app.parts.layout import heading
from app.views.search.collocates import render_collocates
from app.views.search.compare import render_compare
from app.views.search.concordance import render_concordance
from app.views.search.field import take_linked_search
from app.views.search.frequency import render_dispersion, render_frequency

_RENDER = {
    "concordance": render_concordance,
    "collocates": render_collocates,
    "frequency": render_frequency,
    "dispersion": render_dispersion,
    "compare": render_compare,
}

take_linked_search()
_RENDER[heading("search", tuple(_RENDER))]()
