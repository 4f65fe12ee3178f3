"""Which units fulfil a condition, decided once for every distinct unit.

A morpheme that is several in one (갔: VV+EP, 가+았) is read as a whole and part by part, so `[tag="EP"]` finds it; in
one bracket, all positive comparisons are of the same reading. A negative comparison holds if no reading has the value.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.corpus.pretokens.own_pattern import OwnPattern
from engine.corpus.unicode_forms import composed
from engine.errors import InputError
from engine.measure.layers import Layer
from engine.query.errors import QueryError
from engine.query.syntax import MORPHEMES, AnyUnit, Combined, Comparison, Condition

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
