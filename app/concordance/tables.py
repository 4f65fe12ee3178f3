"""Keyword in context, the occurrences of a token in a corpus; and their collocates, with the rows of their picture."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import visible
from engine.corpus.files import CorpusFiles
from engine.corpus.normalize import composed
from engine.corpus.pretokens.own_pattern import OwnPattern, pattern_allowance
from engine.measure.collocates import MEASURES, Collocates
from engine.measure.layers import Spans
from engine.measure.words import byte_offsets
from engine.pictures.showable import showable
from engine.tokenizer import PrunedTokenizer

# Sort keys.
SORTS = ("right", "left", "token", "corpus", "probability")
# The best segmentation uses the token; any segmentation does, with its probability; its text occurs; a regular
# expression matches; a query does.
WAYS = ("token", "expected", "text", "regex", "query")

# Maximum number of lines listed, fewer if all segmentations of each are needed; characters of context on either side.
MAX_LINES, MAX_LATTICES, CONTEXT = 5000, 600, 40

# Time for a visitor's pattern on the whole text.
_PATTERN_SECONDS = 2.0

# Less probable occurrences are left out.
LEAST_PROBABILITY = 1e-4

# What a table of collocates is sorted by, and what their picture shows.
ORDERS = (*MEASURES, "observed")
_N_DRAWN = 15
_WORDY = r"^(?!<0x).*[^\W_]"  # neither punctuation alone nor a single byte
_WEAK = 0.05  # p from which an association is not told from chance

Place = tuple[int, int, float]  # begin and end in the UTF-8 bytes of a line, and the probability

_HEX = "hex_tokens"  # bytes of a cut character as <0xEC>


class Concordance(NamedTuple):
    """Lines of a concordance, and how many were examined.

    Attributes
    ----------
    table : one row per occurrence. Columns: line (from 1), left, token, right, probability (NaN: not computed),
        sentence; begin and end of the token in its bytes.
    n_lines : lines of the corpus that contain the text, or a match of the pattern.
    n_examined : those of them that the occurrences are from.
    """

    table: pd.DataFrame
    n_lines: int
    n_examined: int


class Frequency(NamedTuple):
    """Frequency of a string or token in each line of the whole corpus.

    Attributes
    ----------
    string : int64[n_lines], as a string or as a match of a pattern; occurrences do not overlap.
    token : int64[n_lines], as a token of the best segmentation; None if there is no token.
    """

    string: np.ndarray
    token: np.ndarray | None = None


def concordance(
    model: PrunedTokenizer, lines: Sequence[str], row: int, number: int, way: str, limit: int | None = None
) -> Concordance:
    """Occurrences of a token.

    Parameters
    ----------
    lines : the corpus, normalized.
    row : of the token.
    number : the round whose vocabulary segments the lines.
    way : `token`, `expected` (requires a token of whole characters) or `text`.
    limit : maximum number of lines examined, spread evenly over those that contain the token; None: all.
    """

    def places(chosen: list[str]) -> Iterable[list[Place]]:
        if way == "token":
            return _best_places(model, chosen, row, number)
        if way == "expected":
            return (_expected_places(model, line, row, number) for line in chosen)
        return (_text_places(line, model.tokens[row]) for line in chosen)

    return _concordance(lines, _holding(lines, model.tokens[row]), places, limit)


def text_concordance(lines: Sequence[str], data: bytes, limit: int | None = None) -> Concordance:
    """Occurrences of a text, however it is tokenized; parameters as in `concordance`."""
    return _concordance(
        lines, _holding(lines, data), lambda chosen: (_text_places(line, data) for line in chosen), limit
    )


def pattern_places(lines: Sequence[str], pattern: str) -> list[list[Place]]:
    """Non-empty matches of a visitor's pattern in each line.

    Raises
    ------
    InputError : it is not a regular expression, or takes too long on the text.
    """
    with pattern_allowance(_PATTERN_SECONDS):
        matches = OwnPattern(pattern).matches(lines)
    found = []
    for line, own in zip(lines, matches, strict=True):
        offsets = byte_offsets(line) if own else ()
        found.append([(int(offsets[begin]), int(offsets[end]), nan) for begin, end in own if begin < end])
    return found


def span_places(spans: Spans, n_lines: int) -> list[list[Place]]:
    found: list[list[Place]] = [[] for _ in range(n_lines)]
    for line, begin, end in zip(*(one.tolist() for one in spans), strict=True):
        found[line].append((begin, end, nan))
    return found


def place_spans(places: Sequence[Sequence[Place]]) -> Spans:
    found = [(i, begin, end) for i, own in enumerate(places) for begin, end, _ in own]
    return Spans(*np.array(found, dtype=np.int64).reshape(-1, 3).T)


def pattern_concordance(lines: Sequence[str], matches: Sequence[list[Place]], limit: int | None = None) -> Concordance:
    """Occurrences of a pattern or a query, as found by `pattern_places`."""
    found = [i for i, own in enumerate(matches) if own]
    examined = found if limit is None else _spread(found, limit)
    return _concordance(lines, examined, lambda chosen: [matches[i] for i in examined], None)._replace(
        n_lines=len(found)
    )


def places_concordance(lines: Sequence[str], places: Sequence[list[Place]]) -> Concordance:
    """Occurrences at known places of the lines."""
    return _concordance(lines, list(range(len(lines))), lambda chosen: places, None)


def token_frequency(model: PrunedTokenizer, lines: Sequence[str], row: int, number: int) -> Frequency:
    """Frequency of a token's text in each line, and of the token itself under the vocabulary of a round."""
    token = model.tokens[row]
    found = _holding(lines, token)
    vocabulary = model.vocabulary(number)
    numbers, ptr = vocabulary.encode_lines([lines[i] for i in found])
    own = np.concatenate([[0], np.cumsum(model.alive_rows(number)[numbers] == row)])
    counts = np.zeros(len(lines), dtype=np.int64)
    counts[found] = own[ptr[1:]] - own[ptr[:-1]]
    return text_frequency(lines, token)._replace(token=counts)


def text_frequency(lines: Sequence[str], token: bytes) -> Frequency:
    """Frequency of the bytes in each line."""
    return Frequency(np.array([line.encode("utf-8", "replace").count(token) for line in lines], dtype=np.int64))


def frequency_by_file(frequency: Frequency, files: CorpusFiles) -> pd.DataFrame:
    """Frequencies by file of the corpus.

    Columns: file, sentences (lines with an occurrence), string, token (missing if there is none), per_1000 (occurrences
    of the string per thousand lines).
    """
    string = files.sums(frequency.string)
    table = pd.DataFrame({"file": files.names, "sentences": files.sums(frequency.string > 0), "string": string})
    table["token"] = None if frequency.token is None else files.sums(frequency.token)
    table["per_1000"] = 1000 * string / np.maximum(1, files.n_lines)
    return table.sort_values("string", ascending=False, kind="stable", ignore_index=True)


def with_files(table: pd.DataFrame, files: CorpusFiles) -> pd.DataFrame:
    """A concordance's table with two more columns after `line`: the file, and the line in the file (from 1)."""
    file, line = files.places(table["line"].to_numpy() - 1)
    table = table.copy()
    table.insert(1, "file", [files.names[i] for i in file])
    table.insert(2, "file_line", line + 1)
    return table


class LineCuts(NamedTuple):
    """Token ends in the three displayed parts of a concordance line, as code point offsets."""

    left: list[int]
    token: list[int]
    right: list[int]


def concordance_cuts(model: PrunedTokenizer, lines: Sequence[str], table: pd.DataFrame, number: int) -> list[LineCuts]:
    """The cuts of the best segmentation around each occurrence, except those inside a character."""
    chosen = [lines[line - 1] for line in table["line"]]
    vocabulary = model.vocabulary(number)
    numbers, ptr = vocabulary.encode_lines(chosen)
    sizes = vocabulary.sizes[numbers]
    result = []
    for k, (line, begin, end) in enumerate(zip(chosen, table["begin"], table["end"], strict=True)):
        offsets = byte_offsets(line)
        ends = np.cumsum(sizes[ptr[k] : ptr[k + 1]])
        places = (1 + np.flatnonzero(np.isin(offsets[1:-1], ends))).tolist()
        first, last = np.searchsorted(offsets, [begin, end]).tolist()
        if offsets[first] != begin or offsets[last] != end:
            result.append(LineCuts([], [], []))
            continue
        low, high = max(0, first - CONTEXT), last + CONTEXT
        result.append(
            LineCuts(
                [len(showable(line[low:place])) for place in places if low < place <= first],
                [len(showable(line[first:place])) for place in places if first < place < last],
                [len(showable(line[last:place])) for place in places if last <= place < high],
            )
        )
    return result


def _holding(lines: Sequence[str], token: bytes) -> list[int]:
    """The lines that contain the bytes."""
    try:
        text = token.decode()
        return [i for i, line in enumerate(lines) if text in line]
    except UnicodeDecodeError:  # bytes inside a character: only a segmentation tells
        return [i for i, line in enumerate(lines) if token in line.encode("utf-8", "replace")]


def _concordance(
    lines: Sequence[str], found: list[int], places: Callable[[list[str]], Iterable[list[Place]]], limit: int | None
) -> Concordance:
    """At most `limit` of the lines found, with the occurrences in each."""
    examined = found if limit is None else _spread(found, limit)
    chosen = [lines[i] for i in examined]
    records = []
    for i, line, own in zip(examined, chosen, places(chosen), strict=True):
        data = line.encode("utf-8", "replace")
        sentence = showable(line) if own else ""
        for begin, end, probability in own:
            left = data[:begin].decode(errors=_HEX)[-CONTEXT:]
            token = visible(data[begin:end].decode(errors=_HEX))
            right = data[end:].decode(errors=_HEX)[:CONTEXT]
            records.append((i + 1, showable(left), token, showable(right), probability, sentence, begin, end))
    columns = ["line", "left", "token", "right", "probability", "sentence", "begin", "end"]
    return Concordance(pd.DataFrame(records, columns=columns), len(found), len(examined))


def sort_concordance(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sorted by these keys in turn (see SORTS): context outwards from the token, the token, descending probability, or
    the line; remaining ties stay in corpus order."""
    keys = {
        "right": table["right"],
        "left": table["left"].map(lambda text: text[::-1]),
        "token": table["token"],
        "probability": -table["probability"],
        "corpus": table["line"],
    }
    if not by:
        return table
    order = pd.DataFrame({name: keys[name] for name in by}).sort_values(list(by), kind="stable").index
    return table.loc[order].reset_index(drop=True)


def search_concordance(table: pd.DataFrame, text: str) -> pd.DataFrame:
    """The occurrences with this text in their context, on either side; compared in NFC."""
    if not text:
        return table
    left, right = (table[side].map(composed).str.contains(composed(text), regex=False) for side in ("left", "right"))
    return table[left | right].reset_index(drop=True)


def _spread(found: list[int], limit: int) -> list[int]:
    """At most `limit` of them, spread evenly over the corpus: its first lines are often of one kind."""
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
    """Arcs of the token with their marginal probability: the sum over all segmentations that use it there."""
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


def collocate_table(found: Collocates, labels: Sequence[str]) -> pd.DataFrame:
    """One row per collocate.

    Columns: label (raw), collocate (as shown), observed, left, right, frequency, expected, each of MEASURES with
    <measure>_low and <measure>_high where it has an interval, p.
    """
    names = ("observed", "left", "right", "frequency", "expected", *MEASURES, "p")
    own = [labels[kind] for kind in found.kind.tolist()]
    columns: dict[str, object] = {"label": own, "collocate": [showable(label) for label in own]}
    for name in names:
        columns[name] = getattr(found, name)
        if name in MEASURES and (ends := found.interval(name)) is not None:
            columns[f"{name}_low"], columns[f"{name}_high"] = ends
    return pd.DataFrame(columns)


def drawn_collocates(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The first rows with letters or digits as `ranked_bars_figure` takes them, loud where they are not by chance."""
    first = table[table["label"].str.contains(_WORDY, regex=True)].head(_N_DRAWN)
    ends = [first.get(f"{by}_{end}", first[by]) for end in ("low", "high")]
    rows = {"title": first["collocate"], "value": first[by], "low": ends[0], "high": ends[1]}
    drawn = pd.DataFrame(rows).assign(is_ours=first["p"] < _WEAK, best=False)
    return drawn.replace([np.inf, -np.inf], np.nan)
