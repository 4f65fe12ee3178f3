"""A text with a place to tap between any two characters, and the cuts of others, shaded by their share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import streamlit as st

from app.components.shared.component import HTML, check_labels, number, require, script, showable, style
from app.lessons.questions import cut_places

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


_component = st.components.v2.component("cuts", html=HTML, css=style("base", "cuts"), js=script("dom", "cuts"))


def cuts_board(
    key: str,
    text: str,
    cuts: Sequence[int],
    labels: Mapping[str, str],
    on_cuts: Callable[[tuple[int, ...]], None] | None = None,
    rows: Sequence[SharedCuts] = (),
    *,
    lang: str,
    ui_lang: str,
) -> None:
    """Draw the text with its cuts.

    Parameters
    ----------
    key : of the element in the page.
    text : white space in it always cuts.
    cuts : current cuts, as character offsets.
    labels : a text for each of CUTS_LABELS.
    on_cuts : called with all cuts after a tap; without it the text is read-only.
    rows : cuts of others, drawn below and compared with these.
    lang, ui_lang : languages of the text and of the labels.

    Raises
    ------
    ValueError : a label is missing, or a cut is at an invalid place.
    """
    # The visitor's taps are numbered, so that the browser knows which of them this text reflects.
    heard = f"{key}.heard"

    def cut() -> None:
        told = st.session_state[key].cut
        if on_cuts is None or not isinstance(told, Mapping):
            return
        number, places = told.get("number"), told.get("value")
        if isinstance(number, int):
            st.session_state[heard] = max(number, st.session_state.get(heard, 0))
        if isinstance(places, list) and all(type(place) is int for place in places):
            on_cuts(tuple(sorted(set(places) & set(cut_places(text)))))

    data = cuts_payload(text, cuts, labels, rows) | {"lang": lang, "ui_lang": ui_lang, "fixed": on_cuts is None}
    data["heard"] = st.session_state.get(heard, 0)
    _component(key=key, data=data, on_cut_change=cut)


def cuts_payload(
    text: str, cuts: Sequence[int], labels: Mapping[str, str], rows: Sequence[SharedCuts]
) -> dict[str, Any]:
    """The validated data for the browser."""
    check_labels(labels, CUTS_LABELS)
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
        "labels": {name: labels[name] for name in CUTS_LABELS},
    }
