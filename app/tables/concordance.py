"""Keyword in context: the places of a corpus where a token stands."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from app.components.component import showable
from app.tables.tokens import shown
from engine.corpus.normalize import normalize
from engine.unigram.model import Model

SORTS = ("corpus", "left", "right")

# Lines that are segmented for one concordance, and characters of context on either side.
MAX_LINES, CONTEXT = 600, 40

_HEX = "hex_tokens"  # bytes of a cut character as <0xEC>


class Concordance(NamedTuple):
    """Lines of a concordance, and how they came about."""

    table: pd.DataFrame  # line (from 1), left, token, right, sentence
    n_lines: int  # lines of the corpus whose text contains the token
    n_examined: int  # of these, how many were segmented


def concordance(model: Model, lines: Sequence[str], row: int, number: int, as_token: bool) -> Concordance:
    """Places of a token.

    Parameters
    ----------
    lines : the corpus.
    row : of the token.
    number : the round whose vocabulary segments the lines.
    as_token : only where the best segmentation uses the token; else wherever its text stands.
    """
    token = model.tokens[row]
    lines = [normalize(line, model.settings.normalization) for line in lines]
    try:
        text = token.decode()
        found = [i for i, line in enumerate(lines) if text in line]
    except UnicodeDecodeError:  # bytes inside a character: only a segmentation tells
        found = [i for i, line in enumerate(lines) if token in line.encode("utf-8", "replace")]
    examined = _spread(found, MAX_LINES)
    records = []
    label = shown(token.decode(errors=_HEX))
    for i in examined:
        data = lines[i].encode("utf-8", "replace")
        places = _token_places(model, lines[i], row, number) if as_token else _text_places(data, token)
        for begin, end in places:
            left = data[:begin].decode(errors=_HEX)[-CONTEXT:]
            right = data[end:].decode(errors=_HEX)[:CONTEXT]
            records.append((i + 1, showable(left), label, showable(right), showable(lines[i])))
    table = pd.DataFrame(records, columns=["line", "left", "token", "right", "sentence"])
    return Concordance(table, len(found), len(examined))


def sort_concordance(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Sorted by what stands to the right, or to the left from the token outwards, or as in the corpus."""
    if by == "right":
        return table.sort_values(["right", "line"], ignore_index=True)
    if by == "left":
        order = table["left"].map(lambda text: text[::-1])
        return table.assign(order=order).sort_values(["order", "line"], ignore_index=True).drop(columns="order")
    return table


def _spread(found: list[int], limit: int) -> list[int]:
    """At most `limit` of them, evenly over the corpus: the first lines of a corpus are often of one kind."""
    if len(found) <= limit:
        return found
    return [found[k * len(found) // limit] for k in range(limit)]


def _token_places(model: Model, line: str, row: int, number: int) -> list[tuple[int, int]]:
    rows, ends = model.segment(line, number)
    begins = [0, *ends.tolist()[:-1]]
    return [(begins[k], int(ends[k])) for k in (rows == row).nonzero()[0].tolist()]


def _text_places(data: bytes, token: bytes) -> list[tuple[int, int]]:
    places = []
    at = data.find(token)
    while at >= 0:
        places.append((at, at + len(token)))
        at = data.find(token, at + len(token))
    return places
