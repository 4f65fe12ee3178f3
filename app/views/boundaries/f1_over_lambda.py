"""Lambda of the utility: one value for all sections of the page, `lambda` in the URL."""

import streamlit as st

from app.components.cut_board.widget import LAMBDA_STEP, MAX_LAMBDA
from app.session import state
from app.texts.i18n import t
from engine.boundaries.utility import DEFAULT_LAMBDA

_KEY = "boundaries.lam"


def current_lambda() -> float:
    """Where it stands, from the URL when the page is opened."""
    state.adopt("lambda", _KEY, _decode)
    lam = float(st.session_state.setdefault(_KEY, DEFAULT_LAMBDA))
    state.publish("lambda", None if lam == DEFAULT_LAMBDA else f"{lam:g}")
    return lam


def keep_lambda(lam: float) -> None:
    """Take another one; for callbacks."""
    st.session_state[_KEY] = lam


def lambda_slider() -> float:
    """A slider for it, for sections without a board that has its own."""
    current_lambda()
    st.slider("λ", 0.0, MAX_LAMBDA, step=LAMBDA_STEP, key=_KEY, persist_state="session",
              help=t("boundaries.lambda_help"))  # fmt: skip
    return current_lambda()


def _decode(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return round(value / LAMBDA_STEP) * LAMBDA_STEP if 0 <= value <= MAX_LAMBDA else None
