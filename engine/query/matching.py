"""Matches of an automaton: for every beginning the longest one, then from the left without overlaps.

Many lines are searched at once. A state of the automaton with the unit that it has just taken is a cell. Cells are
reached forwards from every beginning, each once; then the farthest end of a match is handed backwards from cell to
cell. Nothing backtracks.

A unit begins where the one before it ends. White space between the two is skipped, except between two tokens; a token
of white space is a token like any other.
"""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.query.automaton import Automaton
from engine.query.syntax import TOKENS


class Deadline:
    """When to give up.

    Parameters
    ----------
    seconds : from now.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._at = seconds, time.monotonic() + seconds

    def check(self) -> None:
        """InputError if it is over."""
        if time.monotonic() > self._at:
            raise InputError("query.slow", seconds=self._seconds)


class Candidates(NamedTuple):
    """The units that a state might take.

    Attributes
    ----------
    layer : name of their layer, for several layers whose units coincide joined by +; equal names, equal units.
    begin, end : int64[n_units], places (`engine.measure.layers`).
    fits : bool[n_units], whether the state takes the unit.
    """

    layer: str
    begin: np.ndarray
    end: np.ndarray
    fits: np.ndarray


def longest_matches(
    automaton: Automaton, states: Sequence[Candidates], visible: np.ndarray, deadline: Deadline
) -> np.ndarray:
    """int64[n_matches, 2]: begin and end of the matches, from left to right.

    Parameters
    ----------
    states : the candidates of each state of the automaton.
    visible : places of all bytes that are no white space, and of the line feeds, ascending.

    Raises
    ------
    InputError : the deadline is over.
    """
    search = _Search(automaton, states, visible, deadline)
    search.reach()
    search.hand_back()
    found = []
    for k in automaton.first:
        own = np.flatnonzero(states[k].fits & (search.farthest[k] >= 0))
        found.append(np.column_stack([states[k].begin[own], search.farthest[k][own]]))
    return _without_overlaps(np.concatenate(found))


class _Link(NamedTuple):
    """From units of one layer to those of another that may come next.

    Attributes
    ----------
    next : int64[n_units], -1: none.
    order, ordered : the units sorted by `next`, and `next` in that order.
    """

    next: np.ndarray
    order: np.ndarray
    ordered: np.ndarray

    @classmethod
    def of(cls, following: np.ndarray) -> "_Link":
        order = np.argsort(following, kind="stable")
        return cls(following, order, following[order])

    def sources(self, targets: np.ndarray) -> np.ndarray:
        """The units that lead to any of these."""
        low, high = (np.searchsorted(self.ordered, targets, side) for side in ("left", "right"))
        sizes = high - low
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.order[np.repeat(low, sizes) + inside]


class _Search:
    """Cells of an automaton over some lines.

    Attributes
    ----------
    reached : for each state bool[n_units], the cells on some path from a beginning.
    farthest : for each state int64[n_units], the farthest end of a match through a reached cell; -1: none.
    """

    def __init__(
        self, automaton: Automaton, states: Sequence[Candidates], visible: np.ndarray, deadline: Deadline
    ) -> None:
        self._automaton, self._states, self._visible, self._deadline = automaton, states, visible, deadline
        self._links: dict[tuple[str, str], list[_Link]] = {}
        n_states = range(len(states))
        self.reached = [
            states[k].fits.copy() if k in automaton.first else np.zeros_like(states[k].fits) for k in n_states
        ]
        self.farthest = [np.full(len(one.begin), -1) for one in states]

    def reach(self) -> None:
        """Mark the cells that can be reached."""
        waiting = {k: np.flatnonzero(self.reached[k]) for k in self._automaton.first}
        for state, cells in self._each(waiting):
            for after in self._automaton.follow[state]:
                for link in self._between(state, after):
                    found = link.next[cells]
                    found = found[found >= 0]
                    found = np.unique(found[self._states[after].fits[found] & ~self.reached[after][found]])
                    self.reached[after][found] = True
                    _add(waiting, after, found)

    def hand_back(self) -> None:
        """Find the farthest end of a match through each cell reached."""
        waiting: dict[int, np.ndarray] = {}
        for state in self._automaton.last:
            cells = np.flatnonzero(self.reached[state])
            self.farthest[state][cells] = self._states[state].end[cells]
            _add(waiting, state, cells)
        before = [
            [k for k, own in enumerate(self._automaton.follow) if state in own] for state in range(len(self._states))
        ]
        for state, cells in self._each(waiting):
            for earlier in before[state]:
                for link in self._between(earlier, state):
                    found = link.sources(cells)
                    ends = self.farthest[state][link.next[found]]
                    is_better = self.reached[earlier][found] & (ends > self.farthest[earlier][found])
                    self.farthest[earlier][found[is_better]] = ends[is_better]
                    _add(waiting, earlier, found[is_better])

    def _each(self, waiting: dict[int, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
        """States with their waiting cells, until there are none; more may be added meanwhile."""
        while waiting:
            self._deadline.check()
            state = next(iter(waiting))
            yield state, waiting.pop(state)

    def _between(self, state: int, after: int) -> list[_Link]:
        one, other = self._states[state], self._states[after]
        key = (one.layer, other.layer)
        if key not in self._links:
            self._links[key] = [_Link.of(next_) for next_ in self._following(one, other)]
        return self._links[key]

    def _following(self, one: Candidates, other: Candidates) -> Iterator[np.ndarray]:
        """For each unit the next one of the other layer: at its very end, or after the white space that follows."""
        if not len(other.begin):
            return
        if other.layer == TOKENS:
            at = np.minimum(np.searchsorted(other.begin, one.end), len(other.begin) - 1)
            yield np.where(other.begin[at] == one.end, at, -1)
        if (one.layer, other.layer) != (TOKENS, TOKENS):
            seen = self._visible[np.searchsorted(self._visible, one.end)]
            at = np.maximum(np.searchsorted(other.begin, seen, side="right") - 1, 0)
            is_next = (other.begin[at] >= one.end) & (other.begin[at] <= seen) & (other.end[at] > seen)
            yield np.where(is_next, at, -1)


def _add(waiting: dict[int, np.ndarray], state: int, cells: np.ndarray) -> None:
    if cells.size:
        waiting[state] = np.union1d(waiting[state], cells) if state in waiting else cells


def _without_overlaps(found: np.ndarray) -> np.ndarray:
    """The longest match of every beginning that no earlier match covers; `found` is int64[n, 2]."""
    found = found[np.lexsort((-found[:, 1], found[:, 0]))]
    if not (found[1:, 0] < found[:-1, 1]).any():
        return found
    chosen, last = [], 0
    for row, (begin, end) in enumerate(found.tolist()):
        if begin >= last:
            chosen.append(row)
            last = end
    return found[chosen]
