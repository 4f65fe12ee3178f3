"""The lattice of a sentence: characters on top, every candidate token as a bar over its characters."""

from collections.abc import Callable, Mapping
from typing import Any

from app.components.lattice.data import LatticeData
from app.components.shared.component import check_span, checked_labels, index_or_none, number, require
from app.components.shared.widget import Component
from app.texts.i18n import raw
from engine.pictures.showable import showable

LATTICE_LABELS = (
    "title",  # accessible name of the component
    "best",
    "runner_up",
    "fewest",
    "candidate",
    "selected",
    "gauge",  # legend: the stronger the colour and the longer the line, the more probable
    "count",  # "{shown} of {total} candidates"
    "marginal",
    "p",
    "log_p",
    "be",
    "id",
    "nat",
    "bit",
    "smaller",
    "larger",
    "share",
    "keys",  # how to use it by keyboard
)

_component = Component("lattice", ("grid", "board"), LATTICE_LABELS, lambda name: raw(f"lattice.view.{name}"))


def lattice(
    key: str,
    data: LatticeData,
    on_pick: Callable[[int], None] = lambda arc: None,
    labels: Mapping[str, str] | None = None,
) -> int | None:
    """Draw the lattice; a click or Enter picks an arc.

    Parameters
    ----------
    key : of the element in the page.
    data : see LatticeData.
    on_pick : called with the index of the arc before the script runs again, so what it sets is already drawn.
    labels : texts in place of those of the catalogue, by their names in LATTICE_LABELS.

    Returns
    -------
    int or None : the arc that was picked, in the run caused by the pick.

    Raises
    ------
    ValueError : a label is missing, or an index or span lies outside the arcs or the text.
    """
    n_arcs = len(data["arcs"])

    def picked(told: Any) -> None:
        if (arc := index_or_none(told, n_arcs)) is not None:
            on_pick(arc)

    result = _component.draw(key, lattice_payload(data, _component.labels(labels)), picked=picked)
    return index_or_none(result.picked, n_arcs)


def lattice_payload(data: LatticeData, labels: Mapping[str, str]) -> dict[str, Any]:
    """What is sent to the browser: the data checked, its arcs in columns."""
    arcs, n_chars = data["arcs"], len(data["chars"])
    for index, arc in enumerate(arcs):
        check_span(arc["b"], arc["e"], n_chars, f"arc {index}")
        require(0 <= arc["m"] <= 1 + 1e-6, f"arc {index} has the marginal {arc['m']}; it must be from 0 to 1")
    fewest = data.get("fewest", ())
    paths = [*(data["runner"] or ()), *fewest, *(() if data["selected"] is None else (data["selected"],))]
    require(
        all(0 <= arc < len(arcs) for arc in paths), f"selected, runner and fewest are indices of the {len(arcs)} arcs"
    )
    require(data["unit"] in ("nat", "bit"), f"the unit is {data['unit']!r}; give 'nat' or 'bit'")
    return {
        "chars": [showable(char) for char in data["chars"]],
        "columns": {
            # int(): JSON cannot encode NumPy integers.
            "b": [int(arc["b"]) for arc in arcs],
            "e": [int(arc["e"]) for arc in arcs],
            "label": [showable(arc["label"]) for arc in arcs],
            "m": [min(1.0, float(f"{arc['m']:.6g}")) for arc in arcs],
            "lp": [number(arc["lp"]) for arc in arcs],
            "be": [number(arc["be"]) for arc in arcs],
            "best": [int(arc["best"]) for arc in arcs],
            "id": [None if arc["id"] is None else int(arc["id"]) for arc in arcs],
            "fallback": [int(arc["fallback"]) for arc in arcs],
        },
        "selected": None if data["selected"] is None else int(data["selected"]),
        "runner": [int(arc) for arc in data["runner"] or ()],
        "fewest": [int(arc) for arc in fewest],
        "min_marginal": float(data["min_marginal"]),
        "unit": data["unit"],
        "lang": data["lang"],
        "labels": checked_labels(labels, LATTICE_LABELS),
    }
