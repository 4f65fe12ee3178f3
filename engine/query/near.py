"""Texts as queries, and the query for the lines of a collocate."""

from collections.abc import Iterator, Sequence

import numpy as np
import regex

from engine.corpus.normalize import composed
from engine.errors import InputError
from engine.measure.layers import MORPHEMES, TOKENS, WORDS, Layer, Spans
from engine.measure.words import byte_offsets
from engine.query.parse import STRING, parse_query
from engine.query.syntax import Query

# The attribute that a plain text is compared with, and the name of a layer in brackets.
_ATTRIBUTE = {TOKENS: "token", MORPHEMES: "form", WORDS: "word"}
_ANY = {TOKENS: "token", MORPHEMES: "morph", WORDS: "word"}


def node_query(text: str, unit: str) -> Query:
    """A query, or a plain text: the unit of a layer that is exactly this.

    >>> node_query("학교", "words").text
    '[word=="학교"]'
    """
    return parse_query(text) if is_query(text) else unit_query(text, unit)


def is_query(text: str) -> bool:
    """Whether a text is meant as a query, not as a plain word."""
    return text.lstrip()[:1] in ("[", "(", '"') or STRING.match(text.lstrip()) is not None


def unit_query(text: str, unit: str) -> Query:
    """The unit of a layer that is exactly this text, whatever it begins with.

    >>> unit_query("(", "tokens").text
    '[token=="("]'
    """
    return parse_query(f"[{_equal(_ATTRIBUTE[unit], text)}]" if text.strip() else "")


def near_query(node: str, layer: Layer, kind: int, left: int, right: int) -> str | None:
    """A query for the lines where a unit is in the windows of a node; None if there is none.

    Parameters
    ----------
    node : query of the node. Where it names another layer, places need not meet, and the windows cannot be written.
    kind : row of the layer's values.
    """
    one = " & ".join(_equal(name, texts[kind]) for name, texts in layer.values.items() if name != "morph")
    any_unit = f"[{_ANY[layer.name]}]"
    sides = [f"[{one}] {any_unit}{{0,{left - 1}}} ({node})"] if left > 1 else [f"[{one}] ({node})"] * left
    sides += [f"({node}) {any_unit}{{0,{right - 1}}} [{one}]"] if right > 1 else [f"({node}) [{one}]"] * right
    text = " | ".join(sides)
    try:
        return text if parse_query(node).layers == [layer.name] and parse_query(text) else None
    except InputError:  # too long, or too large
        return None


def text_spans(lines: Sequence[str], text: str) -> Spans:
    """Occurrences of a text, without overlaps, whatever units it is of: as written, and equal to it in NFC."""
    found = []
    in_nfc = composed(text)
    for number, line in enumerate(lines):
        places = {*_occurrences(line, text)}
        if in_nfc != text or not line.isascii():
            places |= {*_composed_occurrences(line, in_nfc)}
        offsets, last = byte_offsets(line) if places else np.empty(0), 0
        for begin, end in sorted(places):
            if begin >= last:
                found.append((number, offsets[begin], offsets[end]))
                last = end
    return Spans(*np.array(found, dtype=np.int64).reshape(-1, 3).T)


def _occurrences(line: str, text: str) -> Iterator[tuple[int, int]]:
    at = line.find(text) if text else -1
    while at >= 0:
        yield at, at + len(text)
        at = line.find(text, at + len(text))


def _composed_occurrences(line: str, text: str) -> Iterator[tuple[int, int]]:
    """Begin and end in a line of the characters (grapheme clusters) that are the text in NFC."""
    if text not in (in_nfc := composed(line)):
        return
    if in_nfc == line:
        yield from _occurrences(line, text)
        return
    begins: list[int] = []  # of the cluster in the line that each character of the line in NFC is from
    ends: list[int] = []
    for cluster in regex.finditer(r"\X", line):
        size = len(composed(cluster[0]))
        begins += [cluster.start()] * size
        ends += [cluster.end()] * size
    for begin, end in _occurrences(in_nfc, text):
        yield begins[begin], ends[end - 1]


def _equal(attribute: str, text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{attribute}=="{quoted}"'
