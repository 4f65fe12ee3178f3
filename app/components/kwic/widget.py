"""A concordance: occurrences of a token in lines, the token in the middle, its context on either side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import streamlit as st

from app.components.shared.component import HTML, check_labels, index_or_none, number, require, script, showable, style

KWIC_LABELS = (
    "title",  # accessible name of the component
    "corpus",  # heading of the line numbers
    "left",
    "token",
    "right",
    "probability",
    "sort",  # "Sort by {name}"
    "keys",  # how to use it by keyboard
)

# Sortable columns, named as in the pages.
ORDERS = ("corpus", "left", "token", "right", "probability")


class KwicPlace(TypedDict):
    """An occurrence of the token: line of the corpus (from 1), the text around it, and its probability.

    `cuts`: code point offsets in left, token and right at which tokens end.
    """

    line: int
    left: str
    token: str
    right: str
    probability: NotRequired[float]
    cuts: NotRequired[Sequence[Sequence[int]]]


_component = st.components.v2.component("kwic", html=HTML, css=style("base", "kwic"), js=script("dom", "kwic"))


def kwic(
    key: str,
    places: Sequence[KwicPlace],
    labels: Mapping[str, str],
    orders: Sequence[str],
    *,
    selected: int | None = None,
    wanted: str = "",
    on_pick: Callable[[int], None] = lambda index: None,
    on_sort: Callable[[str], None] = lambda order: None,
    lang: str,
    ui_lang: str,
) -> None:
    """Draw the occurrences; a click or Enter picks one, a click on a heading changes the order.

    Parameters
    ----------
    key : of the element in the page.
    places : see KwicPlace; all of them have a probability, or none.
    labels : a text for each of KWIC_LABELS.
    orders : the sort keys among ORDERS, primary first.
    selected : index of the occurrence drawn as picked.
    wanted : text to mark in the context.
    on_pick, on_sort : called with the index or the order before the script runs again.
    lang, ui_lang : languages of the text and of the labels.

    Raises
    ------
    ValueError : a label is missing, or an order is not in ORDERS.
    """
    payload = kwic_payload(places, labels, orders) | {"selected": selected, "wanted": wanted}

    def picked() -> None:
        index = index_or_none(st.session_state[key].picked, len(places))
        if index is not None:
            on_pick(index)

    def sorted_by() -> None:
        wish = st.session_state[key].sorted
        if wish in ORDERS and (wish != "probability" or payload["has_probability"]):
            on_sort(wish)

    data = payload | {"lang": lang, "ui_lang": ui_lang}
    _component(key=key, data=data, on_picked_change=picked, on_sorted_change=sorted_by)


def kwic_payload(places: Sequence[KwicPlace], labels: Mapping[str, str], orders: Sequence[str]) -> dict[str, Any]:
    """The data for the browser: the occurrences in columns."""
    check_labels(labels, KWIC_LABELS)
    for order in orders:
        require(order in ORDERS, f"no order is called {order!r}; give one of {', '.join(ORDERS)}")
    has_probability = bool(places) and "probability" in places[0]
    texts = {name: [showable(str(place[name])) for place in places] for name in ("left", "token", "right")}
    return {
        "line": [int(place["line"]) for place in places],
        **texts,
        "probability": [number(place["probability"]) for place in places] if has_probability else [],
        "has_probability": has_probability,
        "cuts": [[[int(cut) for cut in part] for part in place.get("cuts", ((), (), ()))] for place in places],
        "orders": list(orders),
        "labels": {name: labels[name] for name in KWIC_LABELS},
    }
