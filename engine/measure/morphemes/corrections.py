"""An analyser's mistakes in a sentence, corrected by hand: the reading of an eojeol, `가/VV+았/EP+다/EF`."""

import itertools
import re
from collections.abc import Mapping, Sequence

from engine.corpus.morphemes.morpheme import Morpheme
from engine.errors import InputError
from engine.measure.morphemes.alignment import align
from engine.measure.morphemes.tags import SEJONG_TAGS
from engine.measure.words import word_spans

# A form may itself contain + and /, as in `+/SW`.
_PART = re.compile(r"(.+?)/([A-Z][A-Z_]*)(?:\+|$)")


def parse_reading(text: str) -> list[tuple[str, str]]:
    """Forms and tags of a reading; white space in it is ignored.

    Raises
    ------
    InputError : the reading is malformed, or a tag is not in SEJONG_TAGS.

    >>> parse_reading("가/VV + 았/EP + 다/EF")
    [('가', 'VV'), ('았', 'EP'), ('다', 'EF')]
    """
    packed = "".join(text.split())
    parts, at = [], 0
    while match := _PART.match(packed, at):
        parts.append((match[1], match[2]))
        at = match.end()
    if not parts or at < len(packed) or packed.endswith("+"):
        raise InputError("reading.form", reading=text)
    unknown = next((tag for _, tag in parts if tag not in SEJONG_TAGS), None)
    if unknown is not None:
        raise InputError("reading.tag", tag=unknown)
    return parts


def read_morphemes(surface: str, reading: str) -> list[Morpheme]:
    """The morphemes of an eojeol under a reading, with their positions in the eojeol.

    Raises
    ------
    InputError : see `parse_reading`; or the morphemes neither spell the eojeol nor can underlie it.
    """
    parts = parse_reading(reading)
    forms = tuple(form for form, _ in parts)
    alignment = align(surface, forms)
    if alignment is None:
        raise InputError("reading.surface", forms="+".join(forms), surface=surface)
    edges = [0, *alignment.boundaries, len(surface)]
    ends = [0, *itertools.accumulate(alignment.sizes)]
    return [
        Morpheme(begin, end, "+".join(tag for _, tag in parts[low:high]), "+".join(forms[low:high]))
        for (begin, end), (low, high) in zip(itertools.pairwise(edges), itertools.pairwise(ends), strict=True)
    ]


def reading_of(morphemes: Sequence[Morpheme]) -> str:
    """The reading for these morphemes.

    >>> reading_of([Morpheme(0, 1, "VV+EP", "가+았"), Morpheme(1, 2, "EF", "다")])
    '가/VV+았/EP+다/EF'
    """
    parts: list[str] = []
    for one in morphemes:
        tags = one.tag.split("+")
        forms = one.form.split("+") if len(tags) > 1 else [one.form]
        parts += [f"{form}/{tag}" for form, tag in zip(forms, tags, strict=True)]
    return "+".join(parts)


def corrected(
    text: str, morphemes: Sequence[Morpheme], readings: Mapping[int, str]
) -> tuple[list[Morpheme], dict[int, InputError]]:
    """Replace the morphemes of some eojeols of a text.

    Parameters
    ----------
    morphemes : of the text, in order.
    readings : by index of the eojeol, from 0; indices beyond the text are ignored.

    Returns
    -------
    The morphemes, and by eojeol the error of each rejected reading.
    """
    spans = word_spans(text, "eojeol")
    taken: dict[int, list[Morpheme]] = {}
    refused: dict[int, InputError] = {}
    for number, reading in readings.items():
        if number >= len(spans):
            continue
        begin, end = spans[number]
        try:
            own = read_morphemes(text[begin:end], reading)
        except InputError as error:
            refused[number] = error
            continue
        taken[number] = [one._replace(begin=one.begin + begin, end=one.end + begin) for one in own]
    replaced = [spans[number] for number in taken]
    kept = [one for one in morphemes if not any(begin < one.end and one.begin < end for begin, end in replaced)]
    return sorted([*kept, *itertools.chain(*taken.values())]), refused
