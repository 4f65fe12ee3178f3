"""Text that keeps track of its characters' source offsets through normalization and pre-tokenization."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import regex

from engine._jit import kernel
from engine.corpus.pretokens.pretokenize import to_codes, utf8_offsets
from engine.interop.imported.step_budget import StepBudget

# A flag is two regional indicators: `\X` alone would rescan their run from its start for each.
_CLUSTER = regex.compile(r"\p{Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]*|\X")


class AlignedText(NamedTuple):
    """A text and, for each character, the end of its source in the original.

    `ends[i]` (int64, UTF-8 bytes of the original, non-decreasing) is where the source of character i ends; `begin` is
    where the source of the first character begins. `budget` limits further work on the original.
    """

    text: str
    ends: np.ndarray
    begin: int
    budget: StepBudget


def clusters(text: str) -> list[str]:
    """The grapheme clusters of a text (Unicode Annex 29)."""
    return _CLUSTER.findall(text)


def aligned(text: str) -> AlignedText:
    """A text aligned with itself."""
    return AlignedText(text, utf8_offsets(to_codes(text))[1:], 0, StepBudget(len(text)))


def cut_out(source: AlignedText, begin: int, end: int) -> AlignedText:
    """The characters begin..end-1."""
    first = int(source.ends[begin - 1]) if begin else source.begin
    return source._replace(text=source.text[begin:end], ends=source.ends[begin:end], begin=first)


@kernel
def _ends_of_parts(ends, begin, old, new, total):
    """Ends after parts of `old[i]` characters become `new[i]`: the same if the sizes are equal, else the part's end.

    `total` is the sum of `new`.
    """
    made = np.empty(total, dtype=np.int64)
    at = 0
    out = 0
    for i in range(old.size):
        stop = at + old[i]
        for k in range(new[i]):
            if old[i] == new[i]:
                made[out] = ends[at + k]
            else:
                made[out] = ends[stop - 1] if stop > 0 else begin
            out += 1
        at = stop
    return made


def _replace_parts(source: AlignedText, sizes: Sequence[int], parts: Sequence[str]) -> AlignedText:
    """The text with its consecutive parts, of the given sizes, replaced."""
    old = np.fromiter(sizes, dtype=np.int64, count=len(sizes))
    new = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    total = int(new.sum())
    source.budget.grow(total - len(source.text))
    ends = _ends_of_parts(source.ends, source.begin, old, new, total)
    n_removed = int(old[: np.argmax(new > 0)].sum()) if total else 0  # before the first character
    begin = int(source.ends[n_removed - 1]) if n_removed else source.begin
    return source._replace(text="".join(parts), ends=ends, begin=begin)


def replace_ranges(source: AlignedText, edits: Sequence[tuple[int, int, str]]) -> AlignedText:
    """The text with `(begin, end, new)` edits applied, in order and disjoint; new characters share one source.

    A pure insertion has an empty source.
    """
    if not edits:
        return source
    source.budget.change(len(edits))
    sizes: list[int] = []
    parts: list[str] = []
    at = 0
    for begin, end, new in edits:
        sizes += (begin - at, end - begin)
        parts += (source.text[at:begin], new)
        at = end
    return _replace_parts(source, [*sizes, len(source.text) - at], [*parts, source.text[at:]])


def map_characters(source: AlignedText, change: Callable[[str], str]) -> AlignedText:
    """Every character replaced independently; an empty string deletes it."""
    return map_parts(source, source.text, change)


def map_clusters(source: AlignedText, change: Callable[[str], str]) -> AlignedText:
    """A change that depends on neighbours (Unicode normalization), applied per grapheme cluster (Unicode Annex 29).

    If that differs from changing the whole text, the whole is one source.
    """
    whole = change(source.text)
    if whole == source.text:
        return source
    made = map_parts(source, clusters(source.text), change)
    return made if made.text == whole else _replace_parts(source, [len(source.text)], [whole])


def map_parts(source: AlignedText, parts: Sequence[str], change: Callable[[str], str]) -> AlignedText:
    """Consecutive parts of the text replaced independently."""
    made = {part: change(part) for part in set(parts)}
    source.budget.change(len(made))
    if all(part == new for part, new in made.items()):
        return source
    source.budget.change(len(parts))
    return _replace_parts(source, list(map(len, parts)), [made[part] for part in parts])


def to_bytes(source: AlignedText) -> tuple[AlignedText, np.ndarray]:
    """The UTF-8 bytes of the text, one character (of the same number) each, and the byte offset of each character.

    A character with as many bytes as its source is aligned byte by byte.
    """
    offsets = utf8_offsets(to_codes(source.text))
    source.budget.grow(int(offsets[-1]) - len(source.text))
    sizes = np.diff(offsets)
    before = np.concatenate([[source.begin], source.ends])[:-1] if sizes.size else source.ends
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes) + 1
    ends = np.minimum(np.repeat(before, sizes) + place, np.repeat(source.ends, sizes))
    ends[offsets[1:] - 1] = source.ends
    return source._replace(text=source.text.encode().decode("latin-1"), ends=ends), offsets
