"""Keyword in context: the places of a corpus where a token stands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.components.shared.component import showable
from app.parts.tables.tokens import shown
from engine.corpus.normalize import normalize
from engine.measure.words import byte_offsets
from engine.tokenizer import PrunedTokenizer

SORTS = ("corpus", "left", "right", "probability")
# Where the best segmentation uses the token; where any does, with its probability; wherever its text stands.
WAYS = ("token", "expected", "text")

# Lines that are looked at for what a page shows of a concordance, and characters of context on either side.
MAX_LINES, CONTEXT = 600, 40

# Less probable places are left out.
LEAST_PROBABILITY = 1e-4

Place = tuple[int, int, float]  # begin and end in the UTF-8 bytes of a line, and the probability

_HEX = "hex_tokens"  # bytes of a cut character as <0xEC>


class Concordance(NamedTuple):
    """Lines of a concordance, and how they came about."""

    table: pd.DataFrame  # line (from 1), left, token, right, probability (NaN: not asked for), sentence
    n_lines: int  # lines of the corpus whose text contains the token
    n_examined: int  # of these, how many were segmented


def concordance(
    model: PrunedTokenizer, lines: Sequence[str], row: int, number: int, way: str, limit: int | None = MAX_LINES
) -> Concordance:
    """Places of a token.

    Parameters
    ----------
    lines : the corpus.
    row : of the token.
    number : the round whose vocabulary segments the lines.
    way : one of WAYS; `expected` takes a token of whole characters.
    limit : lines to look at, evenly over those that contain the token; None: all.
    """

    def places(chosen: list[str]) -> Iterable[list[Place]]:
        if way == "token":
            return _best_places(model, chosen, row, number)
        if way == "expected":
            return (_expected_places(model, line, row, number) for line in chosen)
        return (_text_places(line, model.tokens[row]) for line in chosen)

    return _concordance(lines, model.settings.normalization, model.tokens[row], places, limit)


def text_concordance(lines: Sequence[str], normalization: str, text: str, limit: int | None = MAX_LINES) -> Concordance:
    """Places of a text, whatever the tokens there; the parameters are those of `concordance`."""
    data = text.encode("utf-8", "replace")
    return _concordance(lines, normalization, data, lambda chosen: (_text_places(line, data) for line in chosen), limit)


def _concordance(
    lines: Sequence[str],
    normalization: str,
    token: bytes,
    places: Callable[[list[str]], Iterable[list[Place]]],
    limit: int | None,
) -> Concordance:
    """The lines that contain the bytes, with the places that are found in each."""
    lines = [normalize(line, normalization) for line in lines]
    try:
        text = token.decode()
        found = [i for i, line in enumerate(lines) if text in line]
    except UnicodeDecodeError:  # bytes inside a character: only a segmentation tells
        found = [i for i, line in enumerate(lines) if token in line.encode("utf-8", "replace")]
    examined = found if limit is None else _spread(found, limit)
    chosen = [lines[i] for i in examined]
    records = []
    label = shown(token.decode(errors=_HEX))
    for i, line, own in zip(examined, chosen, places(chosen), strict=True):
        data = line.encode("utf-8", "replace")
        for begin, end, probability in own:
            left = data[:begin].decode(errors=_HEX)[-CONTEXT:]
            right = data[end:].decode(errors=_HEX)[:CONTEXT]
            records.append((i + 1, showable(left), label, showable(right), probability, showable(line)))
    table = pd.DataFrame(records, columns=["line", "left", "token", "right", "probability", "sentence"])
    return Concordance(table, len(found), len(examined))


def sort_concordance(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Sorted outwards from the token to the right or the left, by probability, or as in the corpus."""
    if by == "right":
        return table.sort_values(["right", "line"], ignore_index=True)
    if by == "left":
        order = table["left"].map(lambda text: text[::-1])
        return table.assign(order=order).sort_values(["order", "line"], ignore_index=True).drop(columns="order")
    if by == "probability":
        return table.sort_values(["probability", "line"], ascending=[False, True], kind="stable", ignore_index=True)
    return table


def search_concordance(table: pd.DataFrame, text: str) -> pd.DataFrame:
    """The places with this text in their context, on either side."""
    if not text:
        return table
    found = table["left"].str.contains(text, regex=False) | table["right"].str.contains(text, regex=False)
    return table[found].reset_index(drop=True)


def _spread(found: list[int], limit: int) -> list[int]:
    """At most `limit` of them, evenly over the corpus: the first lines of a corpus are often of one kind."""
    if len(found) <= limit:
        return found
    return [found[k * len(found) // limit] for k in range(limit)]


def _best_places(model: PrunedTokenizer, lines: Sequence[str], row: int, number: int) -> Iterator[list[Place]]:
    vocabulary = model.vocabulary(number)
    numbers, ptr = vocabulary.encode_lines(lines)
    rows, ends = model.alive_rows(number)[numbers], np.cumsum(vocabulary.sizes[numbers])
    for first, last in pairwise(ptr.tolist()):
        before = ends[first - 1] if first else 0
        at = first + np.flatnonzero(rows[first:last] == row)
        sizes = vocabulary.sizes[numbers[at]]
        stops = (ends[at] - before).tolist()
        yield [(stop - size, stop, nan) for stop, size in zip(stops, sizes.tolist(), strict=True)]


def _expected_places(model: PrunedTokenizer, line: str, row: int, number: int) -> list[Place]:
    """Arcs of the token with their posterior probability: the sum over all segmentations that use it there."""
    lattice = model.lattice(line, number)
    own = int(np.searchsorted(model.alive_rows(number), row))
    arcs = np.flatnonzero((lattice.number == own) & (lattice.marginal >= LEAST_PROBABILITY))
    offsets = byte_offsets(line)
    return [
        (int(offsets[lattice.begin[arc]]), int(offsets[lattice.end[arc]]), float(lattice.marginal[arc]))
        for arc in arcs[np.argsort(lattice.begin[arcs], kind="stable")].tolist()
    ]


def _text_places(line: str, token: bytes) -> list[Place]:
    data = line.encode("utf-8", "replace")
    places = []
    at = data.find(token)
    while at >= 0:
        places.append((at, at + len(token), nan))
        at = data.find(token, at + len(token))
    return places
