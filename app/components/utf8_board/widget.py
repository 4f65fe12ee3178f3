"""A text in boxes: graphemes, their code points, and the bytes of each with the bits that encode it."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.components.shared.component import checked_labels, require
from app.components.shared.widget import Component
from app.components.utf8_board.data import Grapheme
from app.texts.i18n import raw
from engine.pictures.showable import showable

UTF8_LABELS = (
    "title",  # accessible name of the component
    "key",  # meaning of the marked bits
    "summary",  # "{points} code points, {bytes} bytes"
)

_component = Component("utf8_board", (), UTF8_LABELS, lambda name: raw(f"learn_bytes.board.{name}"))


def utf8_board(key: str, graphemes: Sequence[Grapheme], *, lang: str) -> None:
    """Draw the boxes.

    Parameters
    ----------
    key : of the element in the page.
    graphemes : see `app.parts.tables.learn.utf8.board`.
    lang : language of the text.

    Raises
    ------
    ValueError : a byte does not have eight bits.
    """
    _component.draw(key, utf8_payload(graphemes, _component.labels()) | {"lang": lang})


def utf8_payload(graphemes: Sequence[Grapheme], labels: Mapping[str, str]) -> dict[str, Any]:
    """What is sent to the browser: the data checked."""
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
        "labels": checked_labels(labels, UTF8_LABELS),
    }
