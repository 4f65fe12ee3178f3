"""What is key in each of several sub-corpora, a row each; where a type stands in lines and in files."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.concordance.tables import Concordance, Place, places_concordance
from app.parts.tables.tokens import visible
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import line_morphemes
from engine.measure.corpus_units import UNITS, CorpusUnits
from engine.measure.encoded import encode_lines
from engine.measure.keyness import find_keys
from engine.measure.words import byte_offsets, definition_of, word_spans
from engine.tokenizer import Tokenizer

TOKENS, WORDS, MORPHEMES = UNITS
LISTED = 100  # of each sub-corpus
MAX_LINES = 200  # of a concordance
_MAX_MARKS = 4000
_MAX_SAMPLE = 2000  # lines


class Unit(NamedTuple):
    """What is counted.

    Attributes
    ----------
    name : one of UNITS.
    tokenizer : for tokens.
    analyser : of morphemes.
    """

    name: str
    tokenizer: Tokenizer | None = None
    analyser: str = ""


def words_of(lines: Sequence[str]) -> str:
    """What a word is in a file, by the script of its beginning."""
    return definition_of(lines[:_MAX_SAMPLE])


def others_of(groups: Mapping[str, Sequence[int]], name: str) -> tuple[int, ...]:
    return tuple(i for other, chosen in groups.items() if other != name for i in chosen)


def key_table(
    units: CorpusUnits, groups: Mapping[str, Sequence[int]], tokenizer: Tokenizer | None, min_count: int
) -> pd.DataFrame:
    """The types that are key in each sub-corpus against all others together, the most key first.

    Columns: group, label, and those of `engine.measure.keyness`.

    Raises
    ------
    InputError : a sub-corpus is empty, or is the same as the others.
    """
    rows = []
    for name, chosen in groups.items():
        compared = (chosen, others_of(groups, name))
        _, keys = find_keys(units, compared, tokenizer, min_count, LISTED, direction=1)
        rows += [{"group": name, **row, "label": visible(row["label"])} for row in keys]
    return pd.DataFrame(rows, columns=None if rows else ["group", "label", "n_parts"])


def unit_concordance(
    units: CorpusUnits, lines: Sequence[str], chosen: Sequence[int], kind: int, unit: Unit
) -> Concordance:
    """Lines of some files with a type, at most MAX_LINES, spread evenly over them."""
    ptr, found = units.units.unit_ptr, []
    for i in chosen:
        begin, end = units.files.line_ptr[i], units.files.line_ptr[i + 1]
        places = ptr[begin] + np.flatnonzero(units.units.ids[ptr[begin] : ptr[end]] == kind)
        found.append(np.searchsorted(ptr, places, "right") - 1)
    numbers = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    some = numbers[:: max(1, -(-numbers.size // MAX_LINES))].tolist()
    label = units.units.types[kind] if units.units.types is not None else ""
    normal = [lines[i] for i in some]
    if unit.tokenizer is not None:
        normal, places = _token_places(normal, kind, unit.tokenizer)
    elif unit.name == WORDS:
        words = {i: words_of(lines[units.files.line_ptr[i] : units.files.line_ptr[i + 1]]) for i in chosen}
        definitions = [words[units.files.place(number)[0]] for number in some]
        places = [_word_places(line, label, own) for line, own in zip(normal, definitions, strict=True)]
    else:
        places = [_morpheme_places(line, label, unit.analyser) for line in normal]
    table = places_concordance(normal, places).table
    table["line"] = [some[line - 1] + 1 for line in table["line"]]
    return Concordance(table, int(numbers.size), len(some))


def _token_places(lines: list[str], kind: int, tokenizer: Tokenizer) -> tuple[list[str], list[list[Place]]]:
    """The lines as the tokenizer sees them, and the places of a token in each."""
    encoded = encode_lines(tokenizer, lines)
    found: list[list[Place]] = []
    base = 0
    for k, line in enumerate(encoded.seen):
        own = slice(int(encoded.token_ptr[k]), int(encoded.token_ptr[k + 1]))
        is_here = encoded.ids[own] == kind
        begin, end = encoded.begin[own][is_here] - base, encoded.end[own][is_here] - base
        found.append([(b, e, nan) for b, e in zip(begin.tolist(), end.tolist(), strict=True)])
        base += len(line.encode("utf-8", "surrogatepass"))
    return encoded.seen, found


def _word_places(line: str, label: str, definition: str) -> list[Place]:
    return _in_bytes(line, [span for span in word_spans(line, definition) if line[slice(*span)] == label])


def _morpheme_places(line: str, label: str, analyser: str) -> list[Place]:
    found = line_morphemes(line, analyser)
    return _in_bytes(line, [(one.begin, one.end) for one in found if f"{one.form}/{one.tag}" == label])


def _in_bytes(line: str, spans: Sequence[tuple[int, int]]) -> list[Place]:
    offsets = byte_offsets(line)
    return [(int(offsets[begin]), int(offsets[end]), nan) for begin, end in spans]


def spread_table(
    units: CorpusUnits, groups: Mapping[str, Sequence[int]], kind: int, titles: CorpusFiles
) -> pd.DataFrame:
    """Where a type stands: columns group, file, at (0 to 1, through the file; NaN in one without it), count."""
    ptr, rows = units.units.unit_ptr, []
    for group, chosen in groups.items():
        for i in chosen:
            begin, end = ptr[units.files.line_ptr[i]], ptr[units.files.line_ptr[i + 1]]
            places = np.flatnonzero(units.units.ids[begin:end] == kind)
            some = places[:: max(1, -(-places.size // (_MAX_MARKS // max(1, len(chosen)))))]
            at = some / max(1, end - begin) if some.size else [nan]
            rows.append(pd.DataFrame({"group": group, "file": titles.names[i], "at": at, "count": places.size}))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["group", "file", "at", "count"])
