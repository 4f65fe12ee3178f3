"""Data of the steps of the Viterbi algorithm."""

from collections.abc import Sequence
from typing import TypedDict


class Span(TypedDict):
    """A candidate token over characters `b` to `e`."""

    b: int
    e: int
    label: str


class ViterbiCandidate(TypedDict):
    """A path to a position: over `arc`, where `before` is the best total at its begin (nats)."""

    arc: int
    before: float
    total: float
    winner: bool
    tie: bool


class ViterbiCell(TypedDict):
    """The cell after character `end` (from 1): its candidates and the best total (nats)."""

    end: int
    best: float
    candidates: Sequence[ViterbiCandidate]


class ViterbiData(TypedDict):
    """The characters, the arcs, a step for every position, and the best path (arcs in order).

    `unit`: of the logarithms shown, "nat" or "bit". `lang`: of the text.
    """

    chars: Sequence[str]
    arcs: Sequence[Span]
    steps: Sequence[ViterbiCell]
    path: Sequence[int]
    unit: str
    lang: str
