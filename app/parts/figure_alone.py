"""One figure alone: the models it may use, and the message if they are not available.

It may be in another site's frame, overlaid by something the visitor cannot see. So nothing here trains, saves or links
further: for more, the app opens in its own window.
"""

from collections.abc import Sequence
from typing import NoReturn

import streamlit as st

from app.server.http.headers import FIGURES
from app.session.figure import FIGURE, figure_alone
from app.session.models import Active, ActiveLattice, ActiveTokenizer, current_reference, ready_tokenizer
from app.session.reference import ModelReference, parse_reference
from app.session.state import CHECK
from app.session.stored_texts import held_texts
from app.texts.find import find_text
from app.texts.i18n import page_address, t


def refuse() -> NoReturn:
    render_refusal()
    st.stop()


def render_refusal() -> None:
    params = {name: value for name, value in st.query_params.items() if name not in (FIGURE, CHECK)}
    page = FIGURES.get(figure_alone() or "", "explore")
    st.info(f"{t('alone.refused')} [{t('alone.open')}]({page_address(page, **params)})", icon=":material/open_in_new:")


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
