"""One figure alone: the message if what it needs is not available.

It may be in another site's frame, overlaid by something the visitor cannot see. So nothing here trains, saves or links
further: for more, the app opens in its own window.
"""

from typing import NoReturn

import streamlit as st

from app.server.http.headers import QUESTION
from app.session.figure import FIGURE, figure_alone
from app.session.state import CHECK
from app.texts.i18n import page_address, t


def refuse() -> NoReturn:
    render_refusal()
    st.stop()


def render_refusal() -> None:
    params = {name: value for name, value in st.query_params.items() if name not in (FIGURE, CHECK)}
    page = "lessons" if figure_alone() == QUESTION else "explore"
    st.info(f"{t('alone.refused')} [{t('alone.open')}]({page_address(page, **params)})", icon=":material/open_in_new:")
