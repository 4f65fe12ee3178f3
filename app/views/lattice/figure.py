"""The lattice figure alone, for slides and other sites."""

import streamlit as st

from app.parts.choices import read_choice
from app.parts.figure_alone import alone_lattice
from app.parts.tables.units import UNITS
from app.parts.texts.text_link import url_text
from app.parts.tokens.page_links import LATTICE_TEXT
from app.session.url import whole_number
from app.texts.presets import PRESETS
from app.views.lattice.whatif import adopt_what_if, changed_lattice
from app.views.lattice.why import LEAST, PICKED, entropies_of, render_view, shown_least

LIMIT = 400
ROUND = "in_round"
TEXT = url_text("text", LATTICE_TEXT, PRESETS["sweet_potato"])


def render_lattice_figure() -> None:
    """The lattice of the link's sentence, with the link's what-if changes."""
    active = alone_lattice()
    rounds = active.model.pruning.kept_rounds if active.model.pruning else ()
    number = whole_number(st.query_params.get(ROUND, ""))
    number = number if number in rounds else rounds[-1] if rounds else None
    unit = read_choice("units", UNITS, UNITS[0])
    lattice, _ = changed_lattice(active.model, TEXT.adopt().replace("\n", " ")[:LIMIT], number, adopt_what_if())
    if lattice.n:
        least = shown_least(lattice, st.query_params.get("least", LEAST))
        render_view(lattice, entropies_of(active, lattice, number), unit, PICKED.adopt(), least)
