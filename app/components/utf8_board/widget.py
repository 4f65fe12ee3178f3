"""A text in boxes: graphemes, their code points, and the bytes of each with the bits that encode it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.shared.component import HTML, check_labels, require, script, showable, style
from app.components.utf8_board.data import Grapheme

UTF8_LABELS = (
    "title",  # accessible name of the component
    "key",  # meaning of the marked bits
    "summary",  # "{points} code points, {bytes} bytes"
)

_component = st.components.v2.component(
    "utf8_board", html=HTML, css=style("base", "utf8_board"), js=script("dom", "utf8_board")
)


def utf8_board(key: str, graphemes: Sequence[Grapheme], labels: Mapping[str, str], *, lang: str, ui_lang: str) -> None:
    """Draw the boxes.

    Parameters
    ----------
    key : of the element in the page.
    graphemes : see `app.parts.tables.learn.utf8.board`.
    labels : a text for each of UTF8_LABELS.
    lang, ui_lang : languages of the text and of the labels.

    Raises
    ------
    ValueError : a label is missing, or a byte does not have eight bits.
    """
    _component(key=key, data=utf8_payload(graphemes, labels) | {"lang": lang, "ui_lang": ui_lang})


def utf8_payload(graphemes: Sequence[Grapheme], labels: Mapping[str, str]) -> dict[str, Any]:
    """The validated data for the browser."""
    check_labels(labels, UTF8_LABELS)
    for grapheme in graphemes:
        for byte in (byte for point in grapheme["points"] for byte in point["bytes"]):
            bits = byte["marker"] + byte["payload"]
            require(
                len(bits) == 8 and set(bits) <= {"0", "1"}, f"the byte {byte['hex']} has the bits {bits}; give eight"
            )
    return {
        "graphemes": [
            {
                "text": showable(grapheme["text"]),
                "points": [
                    {**point, "text": showable(point["text"]), "bytes": list(point["bytes"])}
                    for point in grapheme["points"]
                ],
            }
            for grapheme in graphemes
        ],
        "labels": {name: labels[name] for name in UTF8_LABELS},
    }
