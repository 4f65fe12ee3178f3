"""The tokenizers that the views of morphology compare."""

import streamlit as st

from app.parts.layout import Layout
from app.parts.tokenizers.tokenizer_set import Offer, render_offers
from app.session.comparison import FIRST_PUBLIC, FIRST_SHIPPED
from app.session.models import ActiveTokenizer
from app.texts.i18n import t


def shown_or_said(view: Layout) -> list[ActiveTokenizer]:
    """The selected tokenizers; where there is none, the picture asks for a selection."""
    shown = render_offers(view, Offer("shipped", "shipped", FIRST_SHIPPED), Offer("public", "public", FIRST_PUBLIC))
    if not shown:
        with view.picture:
            st.info(t("morphology.choose"), icon=":material/library_books:")
    return shown
