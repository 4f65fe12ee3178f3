"""Whether the session shows one figure alone, for slides and other sites: `?figure=strip&embed=true`.

Such a page may be in a frame of another site (`app.server.http.headers`), which could overlay it. So the mode is fixed
for the whole session, and clicks in it change nothing but the figure.
"""

import streamlit as st

from app.server.http.headers import FIGURES
from app.texts.i18n import page_address

FIGURE = "figure"  # in the URL
_ALONE = "session.figure"


def figure_alone() -> str | None:
    """The one of FIGURES that the session is for; None for the whole app."""
    name = st.session_state.setdefault(_ALONE, st.query_params.get(FIGURE))
    return name if name in FIGURES else None


def figure_address(figure: str, **params: str | None) -> str:
    """Address of the figure alone in its current state; call it on the figure's own page."""
    given = {name: value for name, value in params.items() if value}
    page = FIGURES[figure]
    # The first page has no name in the address.
    home = (st.context.url or "").partition("?")[0].rstrip("/").removesuffix(f"/{page}")
    address = page_address(page, **given, figure=figure, embed="true")
    return f"{home}/{address}" if home else address
