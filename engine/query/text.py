"""A text with its layers of units, in which queries are found."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.corpus.normalize import composed
from engine.corpus.pretokens.own_pattern import OwnPattern, pattern_allowance
from engine.errors import InputError
from engine.measure.layers import TOKENS, Layer, Spans, line_starts, visible_bytes
from engine.query.matching import Candidates, Deadline, automaton_of, longest_matches
from engine.query.syntax import MORPHEMES, AnyUnit, Combined, Comparison, Condition, Query, QueryError

# Text that may be part of a longer one: found without running a regular expression, as are alternatives of such.
_SIMPLE = re.compile(r"(\.\*)?((?:[^\\.^$*+?{}\[\]()|]|\\[^\w\s])*)(\.\*)?")
_BAR, _ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\(.)")


class Readings:
    """What the distinct units of a layer are compared by.

    Attributes
    ----------
    unit : int64[n_readings], the distinct unit that each reading is of, ascending.
    n_units : number of distinct units.
    """

    def __init__(self, layer: Layer) -> None:
        values = [list(texts) for texts in layer.values.values()]
        self.n_units = len(values[0])
        self.unit = np.arange(self.n_units)
        if layer.name == MORPHEMES:
            rows = [_readings(*row) for row in zip(*values, strict=True)]
            self.unit = np.repeat(self.unit, [len(own) for own in rows])
            values = [[one[k] for own in rows for one in own] for k in range(len(values))]
        self._values = dict(zip(layer.values, values, strict=True))

    def compared(self, one: Comparison, query: str) -> np.ndarray:
        """bool[n_readings]: whether a comparison holds, as both sides are written or in NFC."""
        values = self._values[one.attribute]
        distinct = list(dict.fromkeys(values))
        fits = set(_matching(distinct, one, query))
        in_nfc = [composed(value) for value in distinct]
        if in_nfc != distinct or composed(one.value) != one.value:
            equal = set(_matching(in_nfc, replace(one, value=composed(one.value)), query))
            fits |= {value for value, own in zip(distinct, in_nfc, strict=True) if own in equal}
        found = np.fromiter((value in fits for value in values), bool, len(values))
        return ~self.any(found)[self.unit] if one.is_negative else found

    def any(self, found: np.ndarray) -> np.ndarray:
        """bool[n_units]: whether any reading of a unit is among those found."""
        return np.bincount(self.unit[found], minlength=self.n_units) > 0


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


def _readings(form: str, tag: str, morph: str) -> list[tuple[str, str, str]]:
    """The values of a morpheme: as a whole, then part by part."""
    forms, tags = form.split("+"), tag.split("+")
    parts = zip(forms, tags, strict=True) if len(forms) == len(tags) > 1 else ()
    return [(form, tag, morph), *((own, part, morph) for own, part in parts)]


def _matching(values: Sequence[str], one: Comparison, query: str) -> Sequence[str]:
    """Those of the values that the comparison names, whatever its sign."""
    wanted = one.value.replace(" ", "␣") if one.attribute == "token" else one.value
    if one.is_literal:
        return [wanted]
    simple = [_SIMPLE.fullmatch(part) for part in _BAR.split(wanted)]
    if all(simple):
        return [value for part in simple if part for value in _simply_matching(values, *part.groups())]
    try:
        OwnPattern(wanted)
        matches = OwnPattern(rf"\A(?:{wanted})\Z").matches(values)
    except InputError as error:
        if error.code != "pattern.invalid":
            raise
        raise QueryError("query.pattern", query, one.at, detail=error.values["detail"]) from None
    return [value for value, own in zip(values, matches, strict=True) if own]


def _simply_matching(values: Sequence[str], before: str | None, text: str, after: str | None) -> Sequence[str]:
    text = _ESCAPED.sub(r"\1", text)
    if before and after:
        return [value for value in values if text in value]
    if before:
        return [value for value in values if value.endswith(text)]
    return [value for value in values if value.startswith(text)] if after else [text]


def fulfilled(condition: Condition, rows: Sequence[tuple[Layer, Readings, np.ndarray]], query: str) -> np.ndarray:
    """bool[n_rows]: whether each row fulfils a condition.

    Parameters
    ----------
    rows : of each layer that the condition names, its readings and int64[n_rows], which of them each row is.
    """
    if isinstance(condition, Combined):
        join = np.logical_and if condition.is_all else np.logical_or
        return join.reduce([fulfilled(part, rows, query) for part in condition.parts])
    if isinstance(condition, AnyUnit):
        return np.ones(len(rows[0][2]), dtype=bool)
    readings, which = next((own, which) for layer, own, which in rows if layer.name == condition.layers[0])
    return readings.compared(condition, query)[which]
