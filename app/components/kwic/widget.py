"""A concordance: occurrences of a token in lines, the token in the middle, its context on either side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from app.components.shared.component import checked_labels, index_or_none, number, require
from app.components.shared.widget import Component
from app.texts.i18n import raw
from engine.pictures.showable import showable

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
    """An occurrence of the token: its line (from 1) of the corpus or of a file, the text around it, its probability.

    `file`: the name of the file, in a corpus of several.
    `cuts`: code point offsets in left, token and right at which tokens end.
    """

    line: int
    file: NotRequired[str]
    left: str
    token: str
    right: str
    probability: NotRequired[float]
    cuts: NotRequired[Sequence[Sequence[int]]]


_component = Component("kwic", (), KWIC_LABELS, lambda name: raw(f"scores.kwic.label.{name}"))


def kwic(
    key: str,
    places: Sequence[KwicPlace],
    orders: Sequence[str],
    *,
    selected: int | None = None,
    wanted: str = "",
    on_pick: Callable[[int], None] = lambda index: None,
    on_sort: Callable[[str], None] = lambda order: None,
    lang: str,
) -> None:
    """Draw the occurrences; a click or Enter picks one, a click on a heading changes the order.

    Parameters
    ----------
    key : of the element in the page.
    places : see KwicPlace; all of them have a probability or none, and a file or none.
    orders : which of ORDERS the places are in, one inside the other.
    selected : place to draw as picked.
    wanted : text to mark in the context.
    on_pick, on_sort : called with the place or the order before the script runs again.
    lang : language of the text.

    Raises
    ------
    ValueError : an order is none of ORDERS.
    """
    data = kwic_payload(places, _component.labels(), orders) | {"selected": selected, "wanted": wanted, "lang": lang}

    def picked(told: Any) -> None:
        if (index := index_or_none(told, len(places))) is not None:
            on_pick(index)

    def sorted_by(wish: Any) -> None:
        if wish in ORDERS and (wish != "probability" or data["has_probability"]):
            on_sort(wish)

    _component.draw(key, data, picked=picked, sorted=sorted_by)


def kwic_payload(places: Sequence[KwicPlace], labels: Mapping[str, str], orders: Sequence[str]) -> dict[str, Any]:
    """What is sent to the browser: the places column by column."""
    for order in orders:
        require(order in ORDERS, f"no order is called {order!r}; give one of {', '.join(ORDERS)}")
    has_probability = bool(places) and "probability" in places[0]
    has_file = bool(places) and "file" in places[0]
    texts = {name: [showable(str(place[name])) for place in places] for name in ("left", "token", "right")}
    return {
        "line": [int(place["line"]) for place in places],
        "file": [showable(place["file"]) for place in places] if has_file else [],
        **texts,
        "probability": [number(place["probability"]) for place in places] if has_probability else [],
        "has_probability": has_probability,
        "cuts": [[[int(cut) for cut in part] for part in place.get("cuts", ((), (), ()))] for place in places],
        "orders": list(orders),
        "labels": checked_labels(labels, KWIC_LABELS),
    }
