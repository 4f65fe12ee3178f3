"""Whether the session shows one figure alone, for slides and other sites: `?figure=picture&embed=true`.

Such a page may be in a frame of another site (`app.server.http.headers`), which could overlay it. So the mode is fixed
for the whole session, and clicks in it change nothing but the figure.
"""

import streamlit as st

from app.server.http.headers import FIGURES, PICTURE

FIGURE = "figure"  # in the URL
_ALONE = "session.figure"


def figure_alone() -> str | None:
    """PICTURE or the one of FIGURES that the session is for; None for the whole app."""
    name = st.session_state.setdefault(_ALONE, st.query_params.get(FIGURE))
    return name if name in {PICTURE, *FIGURES} else None
