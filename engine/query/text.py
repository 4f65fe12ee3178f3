"""A text with its layers of units, in which queries are found."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.corpus.pretokens.own_pattern import pattern_allowance
from engine.measure.layers import TOKENS, Layer, Spans, line_starts, visible_bytes
from engine.query.automaton import automaton_of
from engine.query.conditions import Readings, fulfilled
from engine.query.matching import Candidates, Deadline, longest_matches
from engine.query.syntax import Condition, Query

# For one query on a whole text.
QUERY_SECONDS = 60.0
# Cells (units times states) that are searched at once.
_MOST_CELLS = 4_000_000


class SearchedText:
    """A text and its layers.

    Parameters
    ----------
    lines : the text that the layers are of.
    layers : see `engine.measure.layers`.
    """

    def __init__(self, lines: Sequence[str], layers: Sequence[Layer]) -> None:
        self.lines = lines
        self.starts = line_starts(lines)
        self.layers = {layer.name: layer for layer in layers}
        self._readings: dict[str, Readings] = {}

    def add(self, layer: Layer) -> None:
        """Take one more layer of the same lines."""
        self.layers[layer.name] = layer

    def find(self, query: Query, seconds: float = QUERY_SECONDS) -> Spans:
        """Where the query matches, without overlaps.

        Parameters
        ----------
        query : names no layer that is not here.
        seconds : for all lines together; the values' regular expressions have as much.

        Raises
        ------
        QueryError : a value is not a regular expression.
        InputError : it takes too long.
        """
        automaton, deadline = automaton_of(query.tree), Deadline(seconds)
        with pattern_allowance(seconds):
            known = {one: self._candidates(one, query.text) for one in {b.condition for b in automaton.brackets}}
        states = [known[one.condition] for one in automaton.brackets]
        found = [np.empty((0, 2), dtype=np.int64)]
        for first, last in self._batches(states):
            own = [_between(one, int(self.starts[first]), int(self.starts[last])) for one in states]
            if any(own[k].fits.any() for k in automaton.first):
                found.append(longest_matches(automaton, own, self._visible(first, last), deadline))
            deadline.check()
        begin, end = np.concatenate(found).T
        line = np.searchsorted(self.starts, begin, side="right") - 1
        return Spans(line, begin - self.starts[line], end - self.starts[line])

    def _batches(self, states: Sequence[Candidates]) -> Iterator[tuple[int, int]]:
        """Ranges of lines that together have not too many cells, each at least one line."""
        cells = np.zeros(len(self.starts), dtype=np.int64)
        for one in states:
            cells += np.searchsorted(one.begin, self.starts)
        first = 0
        while first < len(self.lines):
            last = max(first + 1, int(np.searchsorted(cells, cells[first] + _MOST_CELLS, side="right")) - 1)
            yield first, last
            first = last

    def _visible(self, first: int, last: int) -> np.ndarray:
        """Places of the bytes of some lines that are no white space, and of the line feeds."""
        return np.flatnonzero(visible_bytes(self.lines[first:last])) + self.starts[first]

    def _candidates(self, condition: Condition, query: str) -> Candidates:
        layers = [self.layers[name] for name in condition.layers]
        if len(layers) == 1:
            (layer,) = layers
            readings = self._readings_of(layer)
            found = readings.any(fulfilled(condition, [(layer, readings, np.arange(len(readings.unit)))], query))
            return Candidates(layer.name, layer.begin, layer.end, found[layer.kind])
        begin, end, units = self._coinciding(layers)
        rows, row_of = self._joined_readings(layers, units)
        fits = np.bincount(row_of[fulfilled(condition, rows, query)], minlength=len(begin)) > 0
        return Candidates("+".join(condition.layers), begin, end, fits)

    def _readings_of(self, layer: Layer) -> Readings:
        if layer.name not in self._readings:
            self._readings[layer.name] = Readings(layer)
        return self._readings[layer.name]

    def _joined_readings(
        self, layers: Sequence[Layer], units: Sequence[np.ndarray]
    ) -> tuple[list[tuple[Layer, Readings, np.ndarray]], np.ndarray]:
        """Every combination of readings of coinciding units, and int64[n_rows], the stretch that each is of."""
        row_of = np.arange(len(units[0]))
        chosen: list[tuple[Layer, Readings, np.ndarray]] = []
        for layer, own in zip(layers, units, strict=True):
            readings, kind = self._readings_of(layer), layer.kind[own][row_of]
            low, high = (np.searchsorted(readings.unit, kind, side) for side in ("left", "right"))
            sizes = high - low
            inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            chosen = [(one, known, np.repeat(which, sizes)) for one, known, which in chosen]
            chosen.append((layer, readings, np.repeat(low, sizes) + inside))
            row_of = np.repeat(row_of, sizes)
        return chosen, row_of

    def _coinciding(self, layers: Sequence[Layer]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Stretches that are a unit of each layer, the white space around a token aside; the unit of each layer."""
        (own, begin, end), *others = (self._cores(layer) for layer in layers)
        units = [own]
        for other, other_begin, other_end in others:
            at = np.searchsorted(other_begin, begin)
            is_same = np.append(other_begin, -1)[at] == begin
            is_same &= np.append(other_end, -1)[at] == end
            begin, end = begin[is_same], end[is_same]
            units = [*(one[is_same] for one in units), other[at[is_same]]]
        return begin, end, units

    def _cores(self, layer: Layer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Units that are not white space; begin and end of each without the white space around it."""
        if layer.name != TOKENS:
            return np.arange(len(layer.begin)), layer.begin, layer.end
        visible = self._visible(0, len(self.lines))
        first, after = np.searchsorted(visible, layer.begin), np.searchsorted(visible, layer.end)
        own = np.flatnonzero(first < after)
        return own, visible[first[own]], visible[after[own] - 1] + 1


def _between(one: Candidates, begin: int, end: int) -> Candidates:
    low, high = np.searchsorted(one.begin, [begin, end])
    return Candidates(one.layer, one.begin[low:high], one.end[low:high], one.fits[low:high])
