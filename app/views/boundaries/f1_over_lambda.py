"""Lambda of the utility: one value for all sections of the page, `lambda` in the URL."""

import streamlit as st

from app.components.boards import LAMBDA_STEP, MAX_LAMBDA
from app.session.url import UrlValue, number_in
from app.texts.i18n import t
from engine.boundaries.utility import DEFAULT_LAMBDA


def _decode(text: str) -> float | None:
    value = number_in(0.0, MAX_LAMBDA)(text)
    return None if value is None else round(value / LAMBDA_STEP) * LAMBDA_STEP


_LAMBDA = UrlValue("lambda", "boundaries.lam", _decode, "{:g}".format, float(DEFAULT_LAMBDA))


def current_lambda() -> float:
    lam = float(_LAMBDA.adopt())
    _LAMBDA.publish(lam)
    return lam


def keep_lambda(lam: float) -> None:
    _LAMBDA.set(lam)


def lambda_slider() -> float:
    """A slider for lambda, for sections whose board does not have one."""
    current_lambda()
    st.slider(
        "λ",
        0.0,
        MAX_LAMBDA,
        step=LAMBDA_STEP,
        key=_LAMBDA.key,
        persist_state="session",
        help=t("boundaries.lambda_help"),
    )
    return current_lambda()
