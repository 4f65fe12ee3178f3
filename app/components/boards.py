"""Boards with the cuts of a text: to tap, or by several methods, of which one follows lambda; and its bytes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from app.components.component import BrowserEvent, draw, require
from app.components.data import CutRow, Grapheme, SharedCuts, cut_places
from engine.boundaries.utility import Terms

MAX_LAMBDA, LAMBDA_STEP = 15.0, 0.25


def cuts_board(
    key: str,
    text: str,
    cuts: Sequence[int],
    on_cuts: Callable[[tuple[int, ...]], None] | None = None,
    rows: Sequence[SharedCuts] = (),
    *,
    labels: Mapping[str, str] | None = None,
    lang: str,
) -> None:
    """Draw the text with a place to tap between any two characters, and the cuts of others, shaded by their share.

    Parameters
    ----------
    key : of the element in the page.
    text : white space in it cuts anyway.
    cuts : places that are cut now: characters before them.
    on_cuts : called with all places once one was tapped; without it nothing can be tapped.
    rows : cuts of others, drawn below and compared with these.
    labels : texts in place of those of the catalogue, by their names.
    lang : language of the text.

    Raises
    ------
    ValueError : a cut is at a place that has none.
    """

    def tapped(places: Any) -> tuple[int, ...] | None:
        is_list = isinstance(places, list) and all(type(place) is int for place in places)
        return tuple(sorted(set(places) & set(cut_places(text)))) if is_list else None

    data = cuts_payload(text, cuts, rows) | {"lang": lang, "fixed": on_cuts is None}
    draw("cuts", key, data, labels, cut=BrowserEvent(tapped, on_cuts))


def cuts_payload(text: str, cuts: Sequence[int], rows: Sequence[SharedCuts]) -> dict[str, Any]:
    """The cuts checked; the shares in the order of the text."""
    places = cut_places(text)
    for place in (*cuts, *(place for row in rows for place in row["shares"])):
        require(place in places, f"place {place} of {text!r} has no cut; give one between two letters")
    shares = [{"label": row["label"], "shares": sorted(row["shares"].items())} for row in rows]
    return {"characters": list(text), "places": places, "cuts": cuts, "rows": shares}


def cut_board(
    key: str,
    text: str,
    terms: Terms,
    above: Sequence[CutRow],
    below: Sequence[CutRow],
    *,
    lam: float,
    on_lambda: Callable[[float], None],
    scale: float = 1.0,
    hidden: Collection[str] = (),
    lang: str,
) -> None:
    """Draw the slider, the rows of cuts, the words under this lambda, and the matching step by step.

    The matching runs in the browser with the server's numbers, so both give the same cuts.

    Parameters
    ----------
    key : of the element in the page.
    text : the sentence.
    terms : for its spans (see `UtilityMatcher.terms`).
    above, below : rows above the one that follows lambda (the gold standard), and below it.
    lam : where the slider stands, 0 to 15.
    scale : what the terms are multiplied by where they are shown: how many of the page's unit one of theirs is.
    on_lambda : called with another lambda once the visitor lets the slider go, before the script runs again.
    hidden : `gold`: the rows above are not sent; `steps`: the matching is not shown step by step.
    lang : language of the sentence.

    Raises
    ------
    ValueError : lambda is out of range, or a row does not end where the text does.
    """

    def chosen(value: Any) -> float | None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return float(value) if is_number and 0 <= value <= MAX_LAMBDA else None

    data = cut_board_payload(text, terms, () if "gold" in hidden else above, below, lam)
    data |= {"steps": "steps" not in hidden, "scale": scale, "lang": lang}
    draw("cut_board", key, data, chosen=BrowserEvent(chosen, on_lambda))


def cut_board_payload(
    text: str, terms: Terms, above: Sequence[CutRow], below: Sequence[CutRow], lam: float
) -> dict[str, Any]:
    """The data checked. Terms keep all their digits; no span is None."""
    require(0 <= lam <= MAX_LAMBDA, f"lambda is {lam:g}; give one from 0 to {MAX_LAMBDA:g}")
    require(terms.pmi.shape == terms.entropy.shape and len(terms.pmi) == len(text), "give the terms of this text")
    for row in (*above, *below):
        ends = list(row["ends"])
        tiles = ends == sorted(set(ends)) and (ends[-1:] == [len(text)] or not text)
        require(tiles, f"the row {row['label']!r} does not cut the text")
    rows = {"above": above, "below": below}
    return {"characters": list(text), **terms._asdict(), **rows, "lam": lam, "max": MAX_LAMBDA, "step": LAMBDA_STEP}


def utf8_board(key: str, graphemes: Sequence[Grapheme], *, lang: str) -> None:
    """Draw graphemes in boxes, their code points, and the bytes of each with the bits that encode it.

    Parameters
    ----------
    key : of the element in the page.
    graphemes : see `app.parts.tables.learn.utf8.board`.
    lang : language of the text.
    """
    draw("utf8_board", key, {"graphemes": graphemes, "lang": lang})
