"""What the steps of the Viterbi algorithm show."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class Span(TypedDict):
    """A candidate token over characters `b` to `e`."""

    b: int
    e: int
    label: str


class Candidate(TypedDict):
    """A way to arrive at a position: over `arc`, where `before` is the best of its begin (nats)."""

    arc: int
    before: float
    total: float
    winner: bool
    tie: bool


class Step(TypedDict):
    """The cell behind character `end` (from 1): its candidates and the best total (nats)."""

    end: int
    best: float
    candidates: Sequence[Candidate]


class ViterbiData(TypedDict):
    """What the steps show: the characters, the arcs, a step for every position, and the best path (arcs in order).

    `unit`: of the logarithms shown, "nat" or "bit". `lang`: of the text.
    """

    chars: Sequence[str]
    arcs: Sequence[Span]
    steps: Sequence[Step]
    path: Sequence[int]
    unit: str
    lang: NotRequired[str]
