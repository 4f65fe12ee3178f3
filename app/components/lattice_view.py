"""The lattice of a sentence as a picture that can be clicked: a Streamlit component, no library behind it.

Characters on top, below them a bar over its characters for every candidate; the best path in a row and colour of its
own, the runner-up with a double border, opacity by marginal probability.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import streamlit as st

_HERE = Path(__file__).resolve().parent

_mount = st.components.v2.component(
    "lattice_view",
    html='<div class="outer" lang="ko"><div class="lattice" role="group"></div><div class="tip"></div></div>',
    css=(_HERE / "lattice_view.css").read_text(encoding="utf-8"),
    js=(_HERE / "lattice_view.js").read_text(encoding="utf-8"),
)


class Arc(TypedDict):
    """One bar: characters b to e (half-open), its text, marginal probability, and numbers ready to be read.

    With `hex` the text is the bytes of one character, in hexadecimal with spaces between them.
    """

    b: int
    e: int
    label: str
    hex: bool
    m: float
    p: str
    lp: str
    be: str


def lattice_view(
    key: str,
    chars: list[str],
    arcs: list[Arc],
    best: list[int],
    runner: list[int],
    selected: int | None,
    labels: dict[str, str],
    on_pick: Callable[[int], None],
) -> None:
    """Draw the lattice; `on_pick(arc)` runs before the page does when an arc is clicked or Enter is pressed on it.

    Parameters
    ----------
    chars : what to show for every code point.
    best, runner : arcs of the best and of the second best path.
    selected : the arc that is marked.
    labels : title, line, arc (with {token}, {p}, {lp}, {be}, {m}), best, runner, marginal.
    """

    def picked() -> None:
        # A trigger's value arrives after the component has run, so it must be taken here, not from the return value.
        arc: Any = st.session_state[key].picked
        if arc is not None and 0 <= int(arc) < len(arcs):
            on_pick(int(arc))

    _mount(
        key=key,
        data={
            "chars": chars,
            "arcs": arcs,
            "best": best,
            "runner": runner,
            "selected": selected,
            "labels": labels,
        },
        on_picked_change=picked,
    )
