"""Whether the session shows one figure alone, for slides and other sites: `?figure=picture&embed=true`.

Such a page may be in a frame of another site (`app.server.http.headers`), which could overlay it. So the mode is fixed
for the whole session, clicks in it change nothing but the figure, and nothing trains, saves or links further: for more,
the app opens in its own window.
"""

from typing import NoReturn

import streamlit as st

from app.server.http.headers import PICTURE, PICTURES, QUESTION
from app.session.state import CHECK
from app.texts.i18n import page_address, t

FIGURE = "figure"  # in the URL
_ALONE = "session.figure"


def figure_alone() -> str | None:
    """PICTURE or QUESTION, if the session is for one alone; None for the whole app."""
    name = st.session_state.setdefault(_ALONE, st.query_params.get(FIGURE))
    return PICTURE if name in PICTURES else QUESTION if name == QUESTION else None


def refuse() -> NoReturn:
    render_refusal()
    st.stop()


def render_refusal() -> None:
    params = {name: value for name, value in st.query_params.items() if name not in (FIGURE, CHECK)}
    page = "lessons" if figure_alone() == QUESTION else "explore"
    st.info(f"{t('alone.refused')} [{t('alone.open')}]({page_address(page, **params)})", icon=":material/open_in_new:")
