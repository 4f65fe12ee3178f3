"""Token strips: one row per tokenizer, aligned to the characters of the text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.components.shared.component import check_span, checked_labels, index_or_none, require
from app.components.shared.widget import Component
from app.components.strip.data import PARTS, ROW_KINDS, TOKEN_CLASSES, TOKEN_KINDS, Place, StripRow, StripToken
from app.texts.i18n import raw
from engine.pictures.showable import showable

STRIP_LABELS = (
    "title",  # accessible name of the component
    "number",  # number of the token, and the total
    "id",
    "ringed",  # meaning of a ring around a token
    "mark",  # the sign on a ringed token, such as ≠
    "kind_unknown",
    "kind_fallback",
    "kind_special",
    "kind_corrected",
    "kind_new",
    *(f"class_{name}" for name in TOKEN_CLASSES if name),
    "share",
    "keys",  # how to use it by keyboard
)

_component = Component("strip", ("grid", "board"), STRIP_LABELS, lambda name: raw(f"strips.{name}"))


def token_strip(
    key: str,
    rows: Sequence[StripRow],
    on_pick: Callable[[Place], None] = lambda place: None,
    *,
    chars: Sequence[str],
    selected: Place | None = None,
    show_help: bool = True,
    count_title: str = "",
    labels: Mapping[str, str] | None = None,
    lang: str,
) -> Place | None:
    """Draw the strips; a click or Enter picks a token.

    Parameters
    ----------
    key : of the element in the page.
    rows : see StripRow.
    on_pick : called with the place before the script runs again, so what it sets is already drawn.
    chars : a text for every code point, fit to be seen.
    selected : the token to draw as selected.
    show_help : whether the line on the use of keys stands below.
    count_title : what stands over the counts of the rows, where they have some.
    labels : texts in place of those of the catalogue, by their names in STRIP_LABELS.
    lang : language of the text.

    Returns
    -------
    Place or None : the token that was picked, in the run caused by the pick.

    Raises
    ------
    ValueError : a label is missing, a span lies outside the text, or tokens are out of order.
    """
    sizes = [len(row["tokens"]) for row in rows]

    def picked(told: Any) -> None:
        if (place := _place(told, sizes)) is not None:
            on_pick(place)

    data = strip_payload(rows, _component.labels(labels), chars)
    data |= {"selected": selected and [int(part) for part in selected], "help": show_help}
    result = _component.draw(key, data | {"count": count_title, "lang": lang}, picked=picked)
    return _place(result.picked, sizes)


def _place(value: Any, sizes: Sequence[int]) -> Place | None:
    row = index_or_none(value.get("row"), len(sizes)) if isinstance(value, Mapping) else None
    token = None if row is None else index_or_none(value.get("token"), sizes[row])
    return None if row is None or token is None else Place(row, token)


def _plain(token: StripToken) -> dict[str, Any]:
    # int() and bool(): JSON cannot encode NumPy scalars.
    return {
        "label": showable(token["label"]),
        "b": int(token["b"]),
        "e": int(token["e"]),
        "hex": bool(token["hex"]),
        "ringed": bool(token["ringed"]),
        "id": None if token["id"] is None else int(token["id"]),
        "kind": token["kind"],
        "class": token.get("token_class", ""),
        "tag": token.get("tag", ""),
        "about": token.get("about", ""),
        "part": token.get("part", ""),
    }


def strip_payload(rows: Sequence[StripRow], labels: Mapping[str, str], chars: Sequence[str]) -> dict[str, Any]:
    """What is sent to the browser: the rows checked, against the characters and in themselves."""
    for row in rows:
        name, tokens = row["name"], row["tokens"]
        require(row.get("kind", "tokens") in ROW_KINDS, f"{name}: no kind of row is called {row.get('kind')!r}")
        before = (0, 0)
        for index, token in enumerate(tokens):
            check_span(token["b"], token["e"], len(chars), f"token {index} of {name}")
            require(token["kind"] in TOKEN_KINDS, f"{name}: no kind of token is called {token['kind']!r}")
            for what, known in (("token_class", TOKEN_CLASSES), ("part", PARTS)):
                own = token.get(what, "")
                require(own in known, f"{name}: {own!r} is no {what}; choose one of: {', '.join(known)}")
            span = (token["b"], token["e"])
            require(
                span[0] >= before[0] and span[1] >= before[1],
                f"token {index} of {name} begins before its neighbour; give the tokens in the order of the text",
            )
            before = span
    return {
        "chars": [showable(char) for char in chars],
        "rows": [
            {
                "name": showable(row["name"]),
                "note": showable(row["note"]),
                "count": showable(row.get("count", "")),
                "kind": row.get("kind", "tokens"),
                "tokens": [_plain(token) for token in row["tokens"]],
            }
            for row in rows
        ],
        "labels": checked_labels(labels, STRIP_LABELS),
    }
