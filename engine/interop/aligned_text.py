"""A text on its way through normalisation and pre-tokenization that still knows where its characters came from."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import regex

from engine.corpus.pretokenize import to_codes
from engine.errors import InputError
from engine.merges.vocabulary import utf8_offsets


class AlignedText(NamedTuple):
    """A text, and for each of its characters the end of what it stands for in the original.

    `ends[i]` (int64, UTF-8 bytes of the original, never descending) is where the source of character i ends; `begin`
    is where the source of the first character begins.
    """

    text: str
    ends: np.ndarray
    begin: int = 0


def require_size(made: int, given: int) -> None:
    """InputError where a step makes far more text than it was given: steps that multiply would fill the memory."""
    if made > 20 * given + 100_000:
        raise InputError(
            "the imported tokenizer turns a text of {given:,} characters into {made:,} or more; give another tokenizer",
            code="import.growth",
            given=given,
            made=made,
        )


def aligned(text: str) -> AlignedText:
    """A text that stands for itself."""
    return AlignedText(text, utf8_offsets(to_codes(text))[1:])


def cut_out(source: AlignedText, begin: int, end: int) -> AlignedText:
    """The characters begin..end-1."""
    first = int(source.ends[begin - 1]) if begin else source.begin
    return AlignedText(source.text[begin:end], source.ends[begin:end], first)


def replace_ranges(source: AlignedText, edits: Sequence[tuple[int, int, str]]) -> AlignedText:
    """The text with `(begin, end, new)` put in, in order and apart from each other; new characters share one source.

    What is put in where nothing was taken out has an empty source.
    """
    if not edits:
        return source
    require_size(sum(len(new) for _, _, new in edits), len(source.text))
    texts: list[str] = []
    ends: list[np.ndarray] = []
    at = 0
    for begin, end, new in edits:
        texts += [source.text[at:begin], new]
        ends.append(source.ends[at:begin])
        where = int(source.ends[end - 1]) if end else source.begin
        same = len(new) == end - begin
        ends.append(source.ends[begin:end] if same else np.full(len(new), where, dtype=np.int64))
        at = end
    texts.append(source.text[at:])
    ends.append(source.ends[at:])
    return AlignedText("".join(texts), np.concatenate(ends), source.begin)


def map_characters(source: AlignedText, change: Callable[[str], str]) -> AlignedText:
    """Every character changed for itself; an empty string takes it out."""
    made = {character: change(character) for character in set(source.text)}
    if all(character == new for character, new in made.items()):
        return source
    parts = [made[character] for character in source.text]
    sizes = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    return AlignedText("".join(parts), np.repeat(source.ends, sizes), source.begin)


def map_clusters(source: AlignedText, change: Callable[[str], str]) -> AlignedText:
    """A change that looks at neighbours (Unicode normalisation), done cluster by cluster (Unicode Annex 29).

    Where that would not be the change of the whole text, the whole is one source.
    """
    whole = change(source.text)
    if whole == source.text:
        return source
    edits = [
        (match.start(), match.end(), new)
        for match in regex.finditer(r"\X", source.text)
        if (new := change(match[0])) != match[0]
    ]
    made = replace_ranges(source, edits)
    return made if made.text == whole else replace_ranges(source, [(0, len(source.text), whole)])


def to_bytes(source: AlignedText) -> tuple[AlignedText, np.ndarray]:
    """The UTF-8 bytes of the text, one character (of the same number) each, and where each character begins.

    A character that stands for as many bytes of the original as it has is aligned byte by byte.
    """
    offsets = utf8_offsets(to_codes(source.text))
    sizes = np.diff(offsets)
    before = np.concatenate([[source.begin], source.ends])[:-1] if sizes.size else source.ends
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes) + 1
    ends = np.minimum(np.repeat(before, sizes) + place, np.repeat(source.ends, sizes))
    ends[offsets[1:] - 1] = source.ends
    return AlignedText(source.text.encode().decode("latin-1"), ends, source.begin), offsets
