"""One figure alone: the models it may use, the message if they are not available, and the line with its address.

It may be in another site's frame, overlaid by something the visitor cannot see. So nothing here trains, saves or links
further: for more, the app opens in its own window.
"""

from collections.abc import Mapping, Sequence
from typing import NoReturn

import streamlit as st

from app.server.http.headers import ANCESTORS_VARIABLE, FIGURES
from app.session.figure import FIGURE, figure_address, figure_alone
from app.session.models import Active, ActiveLattice, ActiveTokenizer, current_reference, ready_tokenizer
from app.session.reference import ModelReference, parse_reference
from app.session.state import CHECK
from app.session.stored_texts import held_texts
from app.texts.find import find_text
from app.texts.i18n import page_address, t


def refuse() -> NoReturn:
    """Say that only the figure is available here, with a link to the app, and end the run."""
    params = {name: value for name, value in st.query_params.items() if name not in (FIGURE, CHECK)}
    page = FIGURES[figure_alone() or "strip"]
    st.info(f"{t('alone.refused')} [{t('alone.open')}]({page_address(page, **params)})", icon=":material/open_in_new:")
    st.stop()


def _ready(reference: ModelReference) -> ActiveTokenizer | None:
    return ready_tokenizer(reference, find_text(reference.source_id, held_texts()))


def alone_tokenizer() -> ActiveTokenizer:
    """The model of the link, if this server has it ready."""
    return _ready(current_reference()) or refuse()


def alone_lattice() -> ActiveLattice:
    """The model of the link, if it is ready and its tokens have probabilities."""
    active = alone_tokenizer()
    if active.model.probabilities is None:
        refuse()
    return Active(active.reference, active.model.probabilities, active.sha256, active.source)


def alone_tokenizers(others: Sequence[str]) -> list[ActiveTokenizer]:
    """The model of the link, and those of the others that are ready."""
    references = [reference for word in others if (reference := parse_reference(word))]
    return [alone_tokenizer(), *(active for one in references if (active := _ready(one)))]


def render_embed_line(figure: str, params: Mapping[str, str | None]) -> None:
    """How to embed the figure elsewhere, shown on the figure's own page."""
    with st.expander(t("alone.embed"), icon=":material/code:"):
        st.code(figure_address(figure, **params), language=None, wrap_lines=True)
        st.caption(t("alone.embed_note", variable=ANCESTORS_VARIABLE))
