"""A sentence cut by several word segmentation methods; one of them, the utility's, follows lambda at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from app.components.shared.component import checked_labels, require
from app.components.shared.widget import Component
from app.components.viterbi.widget import CONTROL_LABELS
from app.texts.i18n import raw
from engine.boundaries.utility import Terms
from engine.pictures.showable import showable

CUT_BOARD_LABELS = (
    *CONTROL_LABELS,
    "title",  # accessible name of the component
    "lambda",  # accessible name of the slider
    "live",  # "U, λ = {lam}": the row that follows it
    "words",  # above the words of that row
    "matching",  # above the candidates of a step
    "here",  # "{number} {span}": current position of the matching
    "span",
    "min_pmi",
    "min_entropy",
    "utility",
    "winner",  # accessible description of the best candidate
)

MAX_LAMBDA, LAMBDA_STEP = 15.0, 0.25


class CutRow(TypedDict):
    """A method that does not depend on lambda: its name and the ends of its pieces."""

    label: str
    ends: Sequence[int]


_component = Component(
    "cut_board",
    ("grid", "controls"),
    CUT_BOARD_LABELS,
    lambda name: raw(f"stepper.{name}") if name in CONTROL_LABELS else raw(f"boundaries.board.{name}"),
)


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

    def chosen(value: Any) -> None:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_LAMBDA:
            on_lambda(float(value))

    shown = () if "gold" in hidden else above
    data = cut_board_payload(text, terms, shown, below, _component.labels(), lam)
    data |= {"steps": "steps" not in hidden, "scale": scale, "lang": lang}
    _component.draw(key, data, chosen=chosen)


def cut_board_payload(
    text: str, terms: Terms, above: Sequence[CutRow], below: Sequence[CutRow], labels: Mapping[str, str], lam: float
) -> dict[str, Any]:
    """What is sent to the browser: the data checked. Terms keep all their digits; no span is None."""
    require(0 <= lam <= MAX_LAMBDA, f"lambda is {lam:g}; give one from 0 to {MAX_LAMBDA:g}")
    require(terms.pmi.shape == terms.entropy.shape and len(terms.pmi) == len(text), "give the terms of this text")
    for row in (*above, *below):
        ends = list(row["ends"])
        tiles = ends == sorted(set(ends)) and (ends[-1:] == [len(text)] or not text)
        require(tiles, f"the row {row['label']!r} does not cut the text")
    return {
        "characters": [showable(character) for character in text],
        "pmi": [[value if np.isfinite(value) else None for value in row] for row in terms.pmi.tolist()],
        "entropy": terms.entropy.tolist(),
        "above": [{"label": row["label"], "ends": list(row["ends"])} for row in above],
        "below": [{"label": row["label"], "ends": list(row["ends"])} for row in below],
        "lam": lam,
        "max": MAX_LAMBDA,
        "step": LAMBDA_STEP,
        "labels": checked_labels(labels, CUT_BOARD_LABELS),
    }
