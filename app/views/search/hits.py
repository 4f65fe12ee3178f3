"""Hits of a search: the forms that they are part of, how a tokenizer cuts these, their rows, and where they are."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import visible
from engine.corpus.files import CorpusFiles
from engine.measure.dispersion import N_PARTS, dispersion, stretches
from engine.measure.encoded import encode_lines
from engine.measure.layers import Spans
from engine.pictures.showable import showable
from engine.query.plain import n_bytes
from engine.tokenizer import Tokenizer

# The first eojeol to the right begins right after the hit, with the rest of the hit's own.
SORTS = ("right", "right2", "left", "left_end", "token", "corpus")
CONTEXT = 40  # characters on either side
MAX_HITS = 5000  # listed, and cut by the tokenizer; spread evenly over all
_MAX_FORMS = 200_000  # counted
_MAX_MARKS = 4000
_REACH = 90  # bytes of an eojeol on either side of a hit
_SENTENCE = 3000  # bytes of a sentence on either side

_WORD, _REST = re.compile(r"\w+"), re.compile(r"\w*")
_HEX = "hex_tokens"  # bytes of a cut character as <0xEC>


def spread(size: int, limit: int) -> np.ndarray:
    """int64[at most limit]: indices spread evenly over all, in order."""
    return np.arange(size) if size <= limit else np.arange(limit) * size // limit


def chosen_spans(spans: Spans, chosen: np.ndarray) -> Spans:
    return Spans(*(values[chosen] for values in spans))


class Forms(NamedTuple):
    """The letters and digits around hits, up to the next space or punctuation.

    Attributes
    ----------
    hits : int64[n], the hits that were looked at.
    texts : of each.
    begin, end : int64[n], in the bytes of the line.
    """

    hits: np.ndarray
    texts: list[str]
    begin: np.ndarray
    end: np.ndarray


def forms_of(lines: Sequence[str], spans: Spans) -> Forms:
    hits = spread(len(spans.line), _MAX_FORMS)
    found, number, data = [], -1, b""
    for line, begin, end in zip(*(values.tolist() for values in chosen_spans(spans, hits)), strict=True):
        if line != number:
            number, data = line, lines[line].encode("utf-8", "replace")
        before = data[max(0, begin - _REACH) : begin].decode(errors="ignore")[::-1]
        after = data[end : end + _REACH].decode(errors="ignore")
        first = begin - n_bytes(_rest_of(before))
        last = end + n_bytes(_rest_of(after))
        found.append((visible(data[first:last].decode(errors=_HEX)), first, last))
    texts, begins, ends = zip(*found, strict=True) if found else ((), (), ())
    return Forms(hits, list(texts), np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64))


def _rest_of(text: str) -> str:
    match = _REST.match(text)
    return match[0] if match else ""


def hit_table(lines: Sequence[str], spans: Spans) -> pd.DataFrame:
    """One row per hit. Columns: line (from 1), left, token, right, sentence; begin and end in the bytes of the line.

    Of a long line, the sentence is what is near the hit: a line of megabytes may have thousands.
    """
    records, number, data = [], -1, b""
    for line, begin, end in zip(*(values.tolist() for values in spans), strict=True):
        if line != number:
            number, data = line, lines[line].encode("utf-8", "replace")
        first, last = _window(data, begin, end)
        left, right = (showable(data[a:b].decode(errors=_HEX)) for a, b in ((first, begin), (end, last)))
        token, sentence = visible(data[begin:end].decode(errors=_HEX)), showable(_near(data, begin, end, _SENTENCE)[0])
        records.append((line + 1, left, token, right, sentence, begin, end))
    return pd.DataFrame(records, columns=["line", "left", "token", "right", "sentence", "begin", "end"])


def _window(data: bytes, begin: int, end: int) -> tuple[int, int]:
    """Where the context of a hit begins and ends: CONTEXT whole characters and the rest of one that the hit cuts."""
    _, first, last = _near(data, begin, end, 4 * CONTEXT + 3)
    left, right = data[first:begin].decode(errors="ignore"), data[end:last].decode(errors="ignore")
    return first + n_bytes(left) - n_bytes(left[-CONTEXT:]), last - n_bytes(right) + n_bytes(right[:CONTEXT])


def _near(data: bytes, begin: int, end: int, reach: int) -> tuple[str, int, int]:
    """The whole characters within so many bytes of a hit, and where they begin and end."""
    first, last = max(0, begin - reach), min(len(data), end + reach)
    while first > 0 and data[first] & 0xC0 == 0x80:
        first -= 1
    while last < len(data) and data[last] & 0xC0 == 0x80:
        last += 1
    return data[first:last].decode(), first, last


def with_files(table: pd.DataFrame, files: CorpusFiles) -> pd.DataFrame:
    """The rows with two more columns after `line`: the file, and the line in the file (from 1)."""
    file, line = files.places(table["line"].to_numpy() - 1)
    table = table.copy()
    table.insert(1, "file", [files.names[i] for i in file])
    table.insert(2, "file_line", line + 1)
    return table


def sort_hits(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sorted by these of SORTS in turn; remaining ties stay in the order of the corpus."""
    rests = [_rest_of(text) for text in table["right"]]
    rights = [_WORD.findall(text[len(rest) :]) for text, rest in zip(table["right"], rests, strict=True)]
    lefts = [_WORD.findall(text) for text in table["left"]]
    keys = {
        "right": [(rest, *words[:1]) for rest, words in zip(rests, rights, strict=True)],
        "right2": [tuple(words[:2]) for words in rights],
        "left": [tuple(words[:-3:-1]) for words in lefts],
        "left_end": ["".join(words)[::-1] for words in lefts],
        "token": table["token"].tolist(),
        "corpus": table["line"].tolist(),
    }
    order = sorted(range(len(table)), key=lambda row: [keys[name][row] for name in by])
    return table.iloc[order].reset_index(drop=True)


class HitCuts(NamedTuple):
    """How a tokenizer cuts hits.

    Attributes
    ----------
    texts : of the form of each hit, parts joined by `|`; empty where the tokenizer sees another text.
    marks : for each, token ends in left, hit and right as displayed, in code points; none inside a character.
    """

    texts: list[str]
    marks: list[tuple[list[int], list[int], list[int]]]


def cuts_of(tokenizer: Tokenizer, lines: Sequence[str], spans: Spans, begin: np.ndarray, end: np.ndarray) -> HitCuts:
    """The cuts of these hits.

    Parameters
    ----------
    begin, end : int64[n], of the form of each in the bytes of its line.
    """
    numbers, row = np.unique(spans.line, return_inverse=True)
    encoded = encode_lines(tokenizer, [lines[number] for number in numbers])
    texts: list[str] = []
    marks: list[tuple[list[int], list[int], list[int]]] = []
    bases = np.concatenate([[0], np.cumsum([n_bytes(line) for line in encoded.seen])])
    places = zip(row.tolist(), spans.begin.tolist(), spans.end.tolist(), begin.tolist(), end.tolist(), strict=True)
    number, data, ends, is_same = -1, b"", np.empty(0, dtype=np.int64), False
    for k, first, last, form_begin, form_end in places:
        if k != number:
            number, data, is_same = k, encoded.seen[k].encode("utf-8", "replace"), encoded.seen[k] == encoded.lines[k]
            ends = encoded.end[encoded.token_ptr[k] : encoded.token_ptr[k + 1]] - bases[k]
        if not is_same:
            texts.append("")
            marks.append(([], [], []))
            continue
        inside = [form_begin, *_between(ends, form_begin + 1, form_end), form_end]
        parts = [data[a:b].decode(errors=_HEX) for a, b in pairwise(inside)]
        texts.append(visible("|".join(parts)))
        marks.append(_marks(data, ends, first, last))
    return HitCuts(texts, marks)


def _marks(data: bytes, ends: np.ndarray, begin: int, end: int) -> tuple[list[int], list[int], list[int]]:
    first, last = _window(data, begin, end)

    def ends_in(low: int, high: int, base: int) -> list[int]:
        whole = [at for at in _between(ends, low, high) if data[at : at + 1] and data[at] & 0xC0 != 0x80]
        return [len(showable(data[base:at].decode(errors=_HEX))) for at in whole]

    return ends_in(first + 1, begin + 1, first), ends_in(begin + 1, end, begin), ends_in(end, last, end)


def _between(ends: np.ndarray, low: int, high: int) -> list[int]:
    """Those of the ascending ends that are at least `low` and below `high`."""
    first, last = np.searchsorted(ends, (low, high))
    return list(ends[first:last].tolist())


def part_table(spans: Spans, files: CorpusFiles, groups: Sequence[str], words: np.ndarray) -> pd.DataFrame:
    """Hits by part of the corpus: columns part, count, words, per_million, in the order of the corpus.

    Parameters
    ----------
    groups : the part of each file; of one file alone, stretches of about equal length are the parts.
    words : int64[n_lines], eojeols of every line.
    """
    per_line = np.bincount(spans.line, minlength=len(words))
    if len(set(groups)) < 2:
        part = stretches(words)
        count, size = (np.bincount(part, values, minlength=N_PARTS) for values in (per_line, words))
        table = pd.DataFrame({"part": [f"{k + 1}/{N_PARTS}" for k in range(N_PARTS)], "count": count, "words": size})
    else:
        table = pd.DataFrame({"part": groups, "count": files.sums(per_line), "words": files.sums(words)})
        table = table.groupby("part", sort=False, as_index=False).sum()
    table = table.astype({"count": int, "words": int})
    return table.assign(per_million=1e6 * table["count"] / table["words"].clip(lower=1))


def evenness(parts: pd.DataFrame) -> tuple[float, float, int]:
    """DP, Juilland's D and the range of hits over the parts of `part_table`."""
    found = dispersion(parts["count"].to_numpy()[None], parts["words"].to_numpy())
    return float(found.dp[0]), float(found.juilland_d[0]), int((parts["count"] > 0).sum())


def place_table(spans: Spans, files: CorpusFiles, groups: Sequence[str], title: str) -> pd.DataFrame:
    """Where hits are: columns group (the title), file (the part), at (0 to 1, through the part)."""
    some = spread(len(spans.line), _MAX_MARKS)
    file, line = files.places(spans.line[some])
    before: list[int] = []  # lines of the part before each file
    sizes: dict[str, int] = {}
    for group, size in zip(groups, files.n_lines, strict=True):
        before.append(sizes.get(group, 0))
        sizes[group] = before[-1] + size
    part = [groups[i] for i in file.tolist()]
    at = (np.array(before)[file] + line) / np.array([sizes[name] for name in part])
    return pd.DataFrame({"group": title, "file": part, "at": at})
