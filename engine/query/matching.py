"""Matches of an automaton: for every beginning the longest one, then from the left without overlaps.

Many lines are searched at once. A state of the automaton with the unit that it has just taken is a cell. Cells are
reached forwards from every beginning, each once; then the farthest end of a match is handed backwards from cell to
cell. Nothing backtracks.

A unit begins where the one before it ends. White space between the two is skipped, except between two tokens; a token
of white space is a token like any other.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.query.syntax import TOKENS, Alternatives, Bracket, Chain, Repetition, Tree

# The automaton of a query, by the construction of Glushkov (1961): one state for each bracket, no empty moves.
#
# Its size is the number of brackets when every repetition is written out, and simulating it never backtracks.


@dataclass
class Automaton:
    """The states of a query.

    Parameters
    ----------
    brackets : one per state.
    follow : for each state, the states that may come next, ascending.
    first, last : the states that a match may begin and end with.
    """

    brackets: list[Bracket] = field(default_factory=list)
    follow: list[list[int]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Ends:
    """First and last states of a part, and whether it may be empty."""

    first: frozenset[int]
    last: frozenset[int]
    may_be_empty: bool


_EMPTY = _Ends(frozenset(), frozenset(), True)


def automaton_of(tree: Tree) -> Automaton:
    """The automaton of a tree."""
    made = _Builder()
    part = made.build(tree)
    follow = [sorted(own) for own in made.follow]
    return Automaton(made.brackets, follow, sorted(part.first), sorted(part.last))


class _Builder:
    def __init__(self) -> None:
        self.brackets: list[Bracket] = []
        self.follow: list[set[int]] = []

    def build(self, tree: Tree) -> _Ends:
        if isinstance(tree, Bracket):
            self.brackets.append(tree)
            self.follow.append(set())
            own = frozenset([len(self.brackets) - 1])
            return _Ends(own, own, False)
        if isinstance(tree, Chain):
            return self.in_sequence([self.build(part) for part in tree.parts])
        if isinstance(tree, Alternatives):
            parts = [self.build(part) for part in tree.parts]
            first = frozenset().union(*(one.first for one in parts))
            last = frozenset().union(*(one.last for one in parts))
            return _Ends(first, last, any(one.may_be_empty for one in parts))
        return self.repeated(tree)

    def in_sequence(self, parts: list[_Ends]) -> _Ends:
        whole = _EMPTY
        for part in parts:
            self.link(whole.last, part.first)
            whole = _Ends(
                whole.first | part.first if whole.may_be_empty else whole.first,
                whole.last | part.last if part.may_be_empty else part.last,
                whole.may_be_empty and part.may_be_empty,
            )
        return whole

    def repeated(self, tree: Repetition) -> _Ends:
        """x{2,4} is x x (x (x)?)?; x{2,} is x x+; the nesting keeps the number of moves small."""
        n_parts = max(1, tree.low if tree.high is None else tree.high)
        parts = [self.build(tree.part) for _ in range(n_parts)]
        if tree.high is None:
            self.link(parts[-1].last, parts[-1].first)
        whole = _EMPTY
        for number, part in reversed(list(enumerate(parts))):
            whole = self.in_sequence([part, whole])
            if number >= tree.low:
                whole = _Ends(whole.first, whole.last, True)
        return whole

    def link(self, before: frozenset[int], after: frozenset[int]) -> None:
        for state in before:
            self.follow[state] |= after


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


class _Moves(NamedTuple):
    """Moves from reached cells of one state to those of another, sorted by where they lead.

    Attributes
    ----------
    source, target : int64[n_moves], units.
    """

    source: np.ndarray
    target: np.ndarray

    @classmethod
    def of(cls, parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> "_Moves":
        source, target = (np.concatenate(one) for one in zip(*parts, strict=True))
        order = np.argsort(target, kind="stable")
        return cls(source[order], target[order])

    def to(self, targets: np.ndarray) -> "_Moves":
        """The moves that lead to any of these."""
        low, high = (np.searchsorted(self.target, targets, side) for side in ("left", "right"))
        sizes = high - low
        rows = np.repeat(low - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return _Moves(self.source[rows], self.target[rows])


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
        self._moves: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
        n_states = range(len(states))
        self.reached = [
            states[k].fits.copy() if k in automaton.first else np.zeros_like(states[k].fits) for k in n_states
        ]
        self.farthest = [np.full(len(one.begin), -1) for one in states]

    def reach(self) -> None:
        """Mark the cells that can be reached, and note the moves to them."""
        waiting = {k: np.flatnonzero(self.reached[k]) for k in self._automaton.first}
        for state, cells in self._each(waiting):
            for after in self._automaton.follow[state]:
                for following in self._following(self._states[state], self._states[after], cells):
                    is_move = following >= 0
                    is_move[is_move] = self._states[after].fits[following[is_move]]
                    source, target = cells[is_move], following[is_move]
                    self._moves.setdefault((state, after), []).append((source, target))
                    found = np.unique(target[~self.reached[after][target]])
                    self.reached[after][found] = True
                    _add(waiting, after, found)

    def hand_back(self) -> None:
        """Find the farthest end of a match through each cell reached."""
        waiting: dict[int, np.ndarray] = {}
        for state in self._automaton.last:
            cells = np.flatnonzero(self.reached[state])
            self.farthest[state][cells] = self._states[state].end[cells]
            _add(waiting, state, cells)
        moves: dict[int, list[tuple[int, _Moves]]] = {}
        for (earlier, state), parts in self._moves.items():
            moves.setdefault(state, []).append((earlier, _Moves.of(parts)))
        for state, cells in self._each(waiting):
            for earlier, own in moves.get(state, ()):
                source, target = own.to(cells)
                ends = self.farthest[state][target]
                is_better = ends > self.farthest[earlier][source]
                better = source[is_better]
                np.maximum.at(self.farthest[earlier], better, ends[is_better])
                _add(waiting, earlier, np.unique(better))

    def _each(self, waiting: dict[int, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
        """States with their waiting cells, until there are none; more may be added meanwhile."""
        while waiting:
            self._deadline.check()
            state = next(iter(waiting))
            yield state, waiting.pop(state)

    def _following(self, one: Candidates, other: Candidates, cells: np.ndarray) -> Iterator[np.ndarray]:
        """For each of these units the next one of the other layer (-1: none): at its very end, or after white space."""
        if not len(other.begin):
            return
        ends = one.end[cells]
        if other.layer == TOKENS:
            at = np.minimum(np.searchsorted(other.begin, ends), len(other.begin) - 1)
            yield np.where(other.begin[at] == ends, at, -1)
        if (one.layer, other.layer) != (TOKENS, TOKENS):
            seen = self._visible[np.searchsorted(self._visible, ends)]
            at = np.maximum(np.searchsorted(other.begin, seen, side="right") - 1, 0)
            is_next = (other.begin[at] >= ends) & (other.begin[at] <= seen) & (other.end[at] > seen)
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
