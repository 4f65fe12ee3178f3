"""The Viterbi algorithm step by step over the lattice of a sentence; it runs entirely in the browser."""

from collections.abc import Callable, Mapping
from typing import Any

from app.components.shared.component import check_span, checked_labels, index_or_none, number, require
from app.components.shared.widget import Component
from app.components.viterbi.data import ViterbiCell, ViterbiData
from app.texts.i18n import raw
from engine.pictures.showable import showable

CONTROL_LABELS = (
    "controls",  # accessible name of the buttons
    "reset",
    "back",
    "run",
    "pause",
    "step",
    "speed",
    "position",  # accessible name of the slider
    "place",  # "{index} of {last}"
)

VITERBI_LABELS = (
    *CONTROL_LABELS,
    "title",  # accessible name of the component
    "cells",  # accessible name of the table of cells
    "rule",  # the recursion in a sentence
    "say_start",
    "say_ask",  # {position} {char} {size}: before a cell is filled, if `hidden`
    "say_fill",  # {position} {char} {size} {token} {total}
    "say_tie",  # the same, where several candidates have the same total
    "say_none",  # {position}: no token ends there
    "say_trace",  # {token} {position}
    "say_end",  # {total} {size}
    "candidates",  # above the table of a step's candidates
    "path",  # above the table of the best path
    "token",
    "from",
    "before",
    "log_p",
    "total",
    "verdict",
    "winner",
    "tie",
    "nat",
    "bit",
    "keys",
)

_component = Component("viterbi", ("grid", "controls"), VITERBI_LABELS, lambda name: raw(f"lattice.steps.{name}"))


def viterbi_stepper(
    key: str,
    data: ViterbiData,
    *,
    labels: Mapping[str, str] | None = None,
    start: int = 0,
    hidden: bool = False,
    on_step: Callable[[int], None] | None = None,
) -> None:
    """Draw the steps with their controls.

    Parameters
    ----------
    key : of the element in the page.
    data : see ViterbiData; its steps are those of `engine.lattice.lattice.Lattice.viterbi_steps`.
    labels : texts in place of those of the catalogue, by their names in VITERBI_LABELS.
    start : step to show when the characters are new: the cells from the left, then the path from its end.
    hidden : whether a step before every cell asks for its best candidate, which the next step shows.
    on_step : called with the step on which the visitor stays, before the script runs again.

    Raises
    ------
    ValueError : a label is missing, a step is missing or out of order, or an arc does not end where its step does.
    """
    n_steps = 1 + len(data["steps"]) * (1 + hidden) + len(data["path"])

    def stepped(told: Any) -> None:
        if on_step is not None and (index := index_or_none(told, n_steps)) is not None:
            on_step(index)

    payload = viterbi_payload(data, _component.labels(labels)) | {"hidden": hidden, "tells": on_step is not None}
    _component.draw(key, payload | {"start": max(0, min(start, n_steps - 1))}, stepped=stepped)


def viterbi_payload(data: ViterbiData, labels: Mapping[str, str]) -> dict[str, Any]:
    """What is sent to the browser: the data checked."""
    chars, arcs, steps, path = data["chars"], data["arcs"], data["steps"], data["path"]
    for index, arc in enumerate(arcs):
        check_span(arc["b"], arc["e"], len(chars), f"arc {index}")
    ends = [step["end"] for step in steps]
    require(
        ends == list(range(1, len(chars) + 1)), f"there are {len(chars)} characters; give a step for each, in order"
    )
    for step in steps:
        for candidate in step["candidates"]:
            index = candidate["arc"]
            fits = 0 <= index < len(arcs) and arcs[index]["e"] == step["end"]
            require(fits, f"the candidate {index} of step {step['end']} does not end there")
    at = 0
    for index in path:
        fits = 0 <= index < len(arcs) and arcs[index]["b"] == at
        require(fits, f"the path does not go on at character {at}; give its arcs in order")
        at = arcs[index]["e"]
    require(at == len(chars), f"the path ends at character {at} of {len(chars)}; give a whole segmentation")
    require(data["unit"] in ("nat", "bit"), f"the unit is {data['unit']!r}; give 'nat' or 'bit'")
    return {
        "chars": [showable(char) for char in chars],
        "arcs": {
            "b": [int(arc["b"]) for arc in arcs],
            "e": [int(arc["e"]) for arc in arcs],
            "label": [showable(arc["label"]) for arc in arcs],
        },
        "steps": [_step(step) for step in steps],
        "path": [int(arc) for arc in path],
        "total": number(steps[-1]["best"]) if steps else 0.0,
        "unit": data["unit"],
        "lang": data["lang"],
        "labels": checked_labels(labels, VITERBI_LABELS),
    }


def _step(step: ViterbiCell) -> dict[str, Any]:
    return {
        "end": int(step["end"]),
        "best": number(step["best"]),
        "candidates": [
            {
                "arc": int(candidate["arc"]),
                "before": number(candidate["before"]),
                "total": number(candidate["total"]),
                "winner": bool(candidate["winner"]),
                "tie": bool(candidate["tie"]),
            }
            for candidate in step["candidates"]
        ],
    }
