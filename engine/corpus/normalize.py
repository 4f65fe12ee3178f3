"""Normalisation as a step that can be seen: what it changed, and where.

`nfc` and `nfd` are those of Unicode, and what they change stays changed. `jamo` is how a tokenizer sees Hangul, letter
by letter: what it decodes are syllables again, and spans are places in the text as it was given.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.corpus.unicode_forms import Form, to_form
from engine.errors import InputError
from engine.hangul.jamo import compose, decompose, first_conjoining, syllable_offsets

JAMO = "jamo"
_FORMS: dict[str, Form | None] = {"none": None, "nfc": "NFC", "nfd": "NFD", JAMO: None}


def normalize(text: str, form: str) -> str:
    """`text` in the form `none`, `nfc`, `nfd` (Unicode Standard Annex 15) or `jamo`; what is in it already stays.

    >>> [f"U+{ord(character):04X}" for character in normalize("각", "nfd")]
    ['U+1100', 'U+1161', 'U+11A8']
    """
    if form not in _FORMS:
        raise InputError("choice.unknown", what="normalization", value=form, choices=", ".join(_FORMS))
    if form == JAMO:
        return decompose(text)
    name = _FORMS[form]
    return text if name is None else to_form(text, name)


def normalize_given(text: str, form: str, line: int = 1) -> str:
    """The same of a text that somebody gives, which begins in that line.

    Raises
    ------
    InputError : the form is `jamo` and the text holds conjoining jamo: they could not be told from those of syllables.

    Examples
    --------
    >>> normalize_given("각\\n\\u1100", "jamo")
    Traceback (most recent call last):
    engine.errors.InputError: line 2 holds U+1100, a conjoining jamo, which could not be told from a part of a \
syllable; bring the text to NFC first (old Hangul, which has no syllables there, cannot be used), or train without \
--normalization jamo
    """
    if form == JAMO and (at := first_conjoining(text)) is not None:
        raise InputError("text.jamo", line=line + text.count("\n", 0, at), jamo=ord(text[at]))
    return normalize(text, form)


def normalize_lines(lines: Sequence[str], form: str) -> list[str]:
    """`normalize_given` of each line."""
    return [normalize_given(text, form, number) for number, text in enumerate(lines, start=1)]


def denormalize(text: str, form: str) -> str:
    """A decoded text as it was given; of Unicode's forms it stays as it is."""
    return compose(text) if form == JAMO else text


def text_of_spans(text: str, form: str) -> str:
    """The text that a tokenizer's spans are places in: normalised, or of `jamo` as it was given."""
    return text if form == JAMO else normalize(text, form)


def given_offsets(text: str, form: str) -> np.ndarray | None:
    """For every byte of the normalised text its place in that of `text_of_spans`, see `syllable_offsets`; None: the
    same."""
    return syllable_offsets(text) if form == JAMO else None


class NormalizationChange(NamedTuple):
    """One changed stretch: `before` became `after`, seen `times` times."""

    before: str
    after: str
    times: int


def normalization_changes(lines: list[str], form: str, limit: int = 20) -> tuple[int, list[NormalizationChange]]:
    """How many lines normalisation changes, and the most frequent changed words.

    A word is compared as a whole (white space separates), because a change may span several code points.

    >>> n_lines, changes = normalization_changes(["caf\\u00e9 noir", "noir"], "nfd")
    >>> n_lines, [(len(change.before), len(change.after), change.times) for change in changes]
    (1, [(4, 5, 1)])
    """
    changed_lines = 0
    words: dict[tuple[str, str], int] = {}
    for line in lines:
        if normalize(line, form) == line:
            continue
        changed_lines += 1
        for word in line.split():
            after = normalize(word, form)
            if after != word:
                words[word, after] = words.get((word, after), 0) + 1
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:limit]
    return changed_lines, [NormalizationChange(before, after, count) for (before, after), count in ranked]
