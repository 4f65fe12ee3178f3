"""Prices in dollars, which lists have, and in won."""

from app.parts.choices import url_number
from app.texts.i18n import t

_WON, _MAX_WON = 1400, 100_000


def won_per_dollar() -> int:
    """The exchange rate, which the visitor may change; `won` in the URL."""
    return url_number("won", t("cost.money.won"), 1, _MAX_WON, _WON, 50)
