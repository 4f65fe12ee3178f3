"""One figure alone: what it may use, what is said where that is not enough, and the line with its address.

A frame of another site may lie under something that the visitor cannot see. So nothing here trains, saves or leads on:
whoever wants more opens the app in a window of its own.
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
    """Say that only the figure is to be had here, with a link to the app, and end the run."""
    params = {name: value for name, value in st.query_params.items() if name not in (FIGURE, CHECK)}
    page = FIGURES[figure_alone() or "strip"]
    st.info(f"{t('alone.refused')} [{t('alone.open')}]({page_address(page, **params)})", icon=":material/open_in_new:")
    st.stop()


def _ready(reference: ModelReference) -> ActiveTokenizer | None:
    return ready_tokenizer(reference, find_text(reference.source_id, held_texts()))


def alone_tokenizer() -> ActiveTokenizer:
    """The model of the link, where this server has it ready."""
    return _ready(current_reference()) or refuse()


def alone_lattice() -> ActiveLattice:
    """The same, where its tokens have probabilities."""
    active = alone_tokenizer()
    if active.model.probabilities is None:
        refuse()
    return Active(active.reference, active.model.probabilities, active.sha256, active.source)


def alone_tokenizers(others: Sequence[str]) -> list[ActiveTokenizer]:
    """The model of the link, and of the others those that are ready."""
    references = [reference for word in others if (reference := parse_reference(word))]
    return [alone_tokenizer(), *(active for one in references if (active := _ready(one)))]


def render_embed_line(figure: str, params: Mapping[str, str | None]) -> None:
    """How to have the figure elsewhere, on the page where it stands."""
    with st.expander(t("alone.embed"), icon=":material/code:"):
        st.code(figure_address(figure, **params), language=None, wrap_lines=True)
        st.caption(t("alone.embed_note", variable=ANCESTORS_VARIABLE))
