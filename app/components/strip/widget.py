"""Token strips: one row per tokenizer, aligned to the characters of the text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.shared.component import (
    HTML,
    check_labels,
    check_span,
    index_or_none,
    require,
    script,
    showable,
    style,
)
from app.components.strip.data import PARTS, ROW_KINDS, TOKEN_CLASSES, TOKEN_KINDS, Place, StripRow, StripToken

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
    *(f"class_{name}" for name in TOKEN_CLASSES if name),
    "download",
    "file",  # name of the SVG file
    "keys",  # how to use it by keyboard
)

_component = st.components.v2.component(
    "token_strip", html=HTML, css=style("base", "strip"), js=script("dom", "grid", "picture", "board", "strip")
)


def token_strip(
    key: str,
    rows: Sequence[StripRow],
    labels: Mapping[str, str],
    on_pick: Callable[[Place], None] | None = None,
    *,
    chars: Sequence[str],
    selected: Place | None = None,
    show_help: bool = True,
    count_title: str = "",
    lang: str,
    ui_lang: str,
) -> Place | None:
    """Draw the strips; a click or Enter picks a token.

    Parameters
    ----------
    key : of the element in the page.
    rows : see StripRow.
    labels : a text for each of STRIP_LABELS.
    on_pick : called with the place before the script runs again, so its effects are already drawn.
    chars : a displayable text for every code point.
    selected : the token to draw as selected.
    show_help : whether to show the line on keyboard use below.
    count_title : heading of the rows' counts, if they have any.
    lang, ui_lang : languages of the text and of the labels.

    Returns
    -------
    Place or None : the token that was picked, in the run caused by the pick.

    Raises
    ------
    ValueError : a label is missing, a span is outside the text, or tokens are out of order.
    """
    payload = strip_payload(rows, labels, chars)
    sizes = [len(row["tokens"]) for row in rows]
    selected_token = None if selected is None else [int(part) for part in selected]

    def picked() -> None:
        place = _place(st.session_state[key].picked, sizes)
        if on_pick is not None and place is not None:
            on_pick(place)

    texts = {"count": count_title, "lang": lang, "ui_lang": ui_lang}
    data = {**payload, "selected": selected_token, "help": show_help, **texts}
    result = _component(key=key, data=data, on_picked_change=picked)
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
    """The validated rows for the browser."""
    check_labels(labels, STRIP_LABELS)
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
        "labels": {name: labels[name] for name in STRIP_LABELS},
    }
