"""A concordance: occurrences of a token in lines, the token in the middle, its context on either side."""

from collections.abc import Callable, Sequence
from typing import Any

from app.components.component import BrowserEvent, columns, draw, index_or_none, require
from app.components.data import KwicPlace

# Sortable columns, named as in the pages.
ORDERS = ("corpus", "left", "token", "right")


def kwic(
    key: str,
    places: Sequence[KwicPlace],
    orders: Sequence[str],
    *,
    selected: int | None = None,
    on_pick: Callable[[int], None] | None = None,
    on_sort: Callable[[str], None] | None = None,
    lang: str,
) -> None:
    """Draw the occurrences; a click or Enter picks one, a click on a heading changes the order.

    Parameters
    ----------
    key : of the element in the page.
    places : see KwicPlace; all of them have a file or none.
    orders : which of ORDERS the places are in, one inside the other.
    selected : place to draw as picked.
    on_pick, on_sort : called with the place or the order before the script runs again.
    lang : language of the text.

    Raises
    ------
    ValueError : an order is none of ORDERS.
    """
    data = kwic_payload(places, orders) | {"selected": selected, "lang": lang}

    def sorted_by(order: Any) -> str | None:
        return order if order in ORDERS else None

    picked = BrowserEvent(lambda value: index_or_none(value, len(places)), on_pick)
    draw("kwic", key, data, picked=picked, sorted=BrowserEvent(sorted_by, on_sort))


def kwic_payload(places: Sequence[KwicPlace], orders: Sequence[str]) -> dict[str, Any]:
    """The places in columns; what they do not have is an empty one."""
    for order in orders:
        require(order in ORDERS, f"no order is called {order!r}; give one of {', '.join(ORDERS)}")
    has_file = bool(places) and "file" in places[0]
    return {
        **columns(places, "line", "left", "token", "right"),
        "file": columns(places, "file")["file"] if has_file else [],
        "cuts": [place.get("cuts", ((), (), ())) for place in places],
        "orders": orders,
    }
