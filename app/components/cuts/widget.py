"""A text with a place to tap between any two characters, and the cuts of others, shaded by their share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from app.components.cuts.places import cut_places
from app.components.shared.component import checked_labels, number, require
from app.components.shared.widget import Component
from app.texts.i18n import raw
from engine.pictures.showable import showable

CUTS_LABELS = (
    "title",  # accessible name of the component
    "cut",  # "{left} {right}": action of a place
    "keys",
    "differs",  # meaning of the marks on other rows
)


class SharedCuts(TypedDict):
    """The cuts of others: for every place, the share (0 to 1) that cuts there."""

    label: str
    shares: Mapping[int, float]


_component = Component("cuts", (), CUTS_LABELS, lambda name: raw(f"lessons.cuts.{name}"))


def cuts_board(
    key: str,
    text: str,
    cuts: Sequence[int],
    on_cuts: Callable[[tuple[int, ...]], None] | None = None,
    rows: Sequence[SharedCuts] = (),
    *,
    labels: Mapping[str, str] | None = None,
    is_strip: bool = False,
    lang: str,
) -> None:
    """Draw the text with its cuts.

    Parameters
    ----------
    key : of the element in the page.
    text : white space in it cuts anyway.
    cuts : places that are cut now: characters before them.
    on_cuts : called with all places once one was tapped; without it nothing can be tapped.
    rows : cuts of others, drawn below and compared with these.
    labels : texts in place of those of the catalogue, by their names in CUTS_LABELS.
    is_strip : whether only the rows are drawn, without an explanation of their marks.
    lang : language of the text.

    Raises
    ------
    ValueError : a cut is at a place that has none.
    """

    def cut(places: Any) -> None:
        if on_cuts is not None and isinstance(places, list) and all(type(place) is int for place in places):
            on_cuts(tuple(sorted(set(places) & set(cut_places(text)))))

    data = cuts_payload(text, cuts, _component.labels(labels), rows)
    _component.draw(key, data | {"lang": lang, "fixed": on_cuts is None, "is_strip": is_strip}, cut=cut)


def cuts_payload(
    text: str, cuts: Sequence[int], labels: Mapping[str, str], rows: Sequence[SharedCuts]
) -> dict[str, Any]:
    """What is sent to the browser: the data checked."""
    places = cut_places(text)
    for place in (*cuts, *(place for row in rows for place in row["shares"])):
        require(place in places, f"place {place} of {text!r} has no cut; give one between two letters")
    return {
        "characters": [showable(character) for character in text],
        "places": list(places),
        "cuts": [int(place) for place in cuts],
        "rows": [
            {
                "label": showable(row["label"]),
                "shares": [[int(place), number(share)] for place, share in sorted(row["shares"].items())],
            }
            for row in rows
        ],
        "labels": checked_labels(labels, CUTS_LABELS),
    }
