"""Data of the lattice picture."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class Arc(TypedDict):
    """One candidate token over characters `b` to `e`.

    `m` is its marginal (0 to 1), `lp` its log probability and `be` its branching entropy (nats; None if it has none),
    `id` its id in the final vocabulary (None if it is not in it). `fallback`: it stands for a character outside the
    vocabulary; its bytes are drawn as hex pairs.
    """

    b: int
    e: int
    label: str
    m: float
    lp: float
    be: float | None
    id: int | None
    best: bool
    fallback: bool


class LatticeData(TypedDict):
    """Data of a lattice.

    `chars`: a text for every code point, fit to be seen. `selected`: index of an arc. `runner`: arcs of the
    second-best path. `fewest`: arcs of the path with the fewest tokens, empty where that is the best path. Arcs with a
    marginal below `min_marginal` are left out unless they are on one of these paths or selected. `unit`: of the
    logarithms shown, "nat" or "bit". `lang`: of the text.
    """

    chars: Sequence[str]
    arcs: Sequence[Arc]
    selected: int | None
    runner: Sequence[int] | None
    fewest: NotRequired[Sequence[int]]
    min_marginal: float
    unit: str
    lang: str
