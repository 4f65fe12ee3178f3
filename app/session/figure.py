"""Whether the session shows one figure alone, for slides and other sites: `?figure=picture&embed=true`.

Such a page may be in a frame of another site (`app.server.http.headers`), which could overlay it. So the mode is fixed
for the whole session, and clicks in it change nothing but the figure.
"""

import streamlit as st

from app.server.http.headers import PICTURE, PICTURES, QUESTION

FIGURE = "figure"  # in the URL
_ALONE = "session.figure"


def figure_alone() -> str | None:
    """PICTURE or QUESTION, if the session is for one alone; None for the whole app."""
    name = st.session_state.setdefault(_ALONE, st.query_params.get(FIGURE))
    return PICTURE if name in PICTURES else QUESTION if name == QUESTION else None
