"""Pictures of text: its tokens under several tokenizers in rows, the lattice of a sentence, and a concordance."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from app.components.component import BrowserEvent, check_spans, columns, draw, index_or_none, require
from app.components.data import PARTS, ROW_KINDS, TOKEN_CLASSES, TOKEN_KINDS, KwicPlace, LatticeData, Place, StripRow

# What every token has.
_COLUMNS = ("b", "e", "label", "id")
# What a token may have, if anything.
_VALUES = {"kind": TOKEN_KINDS, "token_class": TOKEN_CLASSES, "part": PARTS}


def token_strip(
    key: str,
    rows: Sequence[StripRow],
    on_pick: Callable[[Place], None] | None = None,
    *,
    chars: Sequence[str],
    selected: Place | None = None,
    show_help: bool = True,
    count_title: str = "",
    labels: Mapping[str, str] | None = None,
    lang: str,
) -> None:
    """Draw one row per tokenizer, aligned to the characters of the text; a click or Enter picks a token.

    On a phone the page then scrolls to the container with the key `<page>.token`, if there is one.

    Parameters
    ----------
    key : of the element in the page, `<page>.<name>`.
    rows : see StripRow.
    on_pick : called with the place before the script runs again, so what it sets is already drawn.
    chars : a text for every code point, fit to be seen.
    selected : the token to draw as selected.
    show_help : whether the line on the use of keys stands below.
    count_title : what stands over the counts of the rows, where they have some.
    labels : texts in place of those of the catalogue, by their names.
    lang : language of the text.

    Raises
    ------
    ValueError : a span lies outside the text, or tokens are out of order.
    """

    def place(value: Any) -> Place | None:
        row = index_or_none(value.get("row"), len(rows)) if isinstance(value, Mapping) else None
        token = None if row is None else index_or_none(value.get("token"), len(rows[row]["tokens"]))
        return None if row is None or token is None else Place(row, token)

    details = f".st-key-{key.rpartition('.')[0].replace('.', '-')}-token"
    data = {"selected": selected, "help": show_help, "count": count_title, "details": details, "lang": lang}
    draw("strip", key, strip_payload(rows, chars) | data, labels, picked=BrowserEvent(place, on_pick))


def strip_payload(rows: Sequence[StripRow], chars: Sequence[str]) -> dict[str, Any]:
    """The rows checked, against the characters and in themselves."""
    for row in rows:
        name, tokens = row["name"], row["tokens"]
        require(row.get("kind", "tokens") in ROW_KINDS, f"{name}: no kind of row is called {row.get('kind')!r}")
        check_spans(tokens, len(chars), "token", f" of {name}")
        for what, values in _VALUES.items():
            for value in {token.get(what, "") for token in tokens} - {*values}:
                raise ValueError(f"{name}: {value!r} is no {what}; choose one of: {', '.join(values)}")
        for index, (one, other) in enumerate(pairwise(tokens), start=1):
            if other["b"] < one["b"] or other["e"] < one["e"]:
                raise ValueError(
                    f"token {index} of {name} begins before its neighbour; give the tokens in the order of the text"
                )
    return {"chars": chars, "rows": [{"count": "", "kind": "tokens", **row, **_compact(row["tokens"])} for row in rows]}


def _compact(tokens: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    """What all tokens have in columns, and by its name what few have, by their indices: it is sent at every key."""
    few = {name for token in tokens for name in token} - {*_COLUMNS}
    some = {name: {str(k): token[name] for k, token in enumerate(tokens) if token.get(name)} for name in sorted(few)}
    return {"tokens": columns(tokens, *_COLUMNS), "some": {name: values for name, values in some.items() if values}}


def lattice(
    key: str, data: LatticeData, on_pick: Callable[[int], None] | None = None, labels: Mapping[str, str] | None = None
) -> None:
    """Draw the lattice: characters on top, every candidate token as a bar over its characters; a click picks a bar.

    Parameters
    ----------
    key : of the element in the page.
    data : see LatticeData.
    on_pick : called with the index of the arc before the script runs again, so what it sets is already drawn.
    labels : texts in place of those of the catalogue, by their names.

    Raises
    ------
    ValueError : an index or span lies outside the arcs or the text.
    """
    picked = BrowserEvent(lambda value: index_or_none(value, len(data["arcs"])), on_pick)
    draw("lattice", key, lattice_payload(data), labels, picked=picked)


def lattice_payload(data: LatticeData) -> dict[str, Any]:
    """The data checked, its arcs in columns."""
    arcs, runner, fewest = data["arcs"], data["runner"] or (), data.get("fewest", ())
    check_spans(arcs, len(data["chars"]), "arc")
    for index, arc in enumerate(arcs):
        require(0 <= arc["m"] <= 1 + 1e-6, f"arc {index} has the marginal {arc['m']}; it must be from 0 to 1")
    paths = [*runner, *fewest, *(() if data["selected"] is None else (data["selected"],))]
    is_inside = all(0 <= arc < len(arcs) for arc in paths)
    require(is_inside, f"selected, runner and fewest are indices of the {len(arcs)} arcs")
    require(data["unit"] in ("nat", "bit"), f"the unit is {data['unit']!r}; give 'nat' or 'bit'")
    marginals = [min(1.0, float(f"{arc['m']:.6g}")) for arc in arcs]
    flags = {name: [int(flag) for flag in column] for name, column in columns(arcs, "best", "fallback").items()}
    in_columns = columns(arcs, "b", "e", "label", "lp", "be", "id") | flags | {"m": marginals}
    sent = {name: value for name, value in data.items() if name != "arcs"}
    return sent | {"columns": in_columns, "runner": runner, "fewest": fewest}


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
