"""Normalisation, and a report of what it changed.

`nfc` and `nfd` are Unicode's forms and are not undone. `jamo` decomposes Hangul into letters for the tokenizer only:
decoding restores the syllables, and spans are offsets in the original text.
"""

import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
import regex

from engine.errors import require_choice
from engine.hangul.jamo import compose, decompose, decompose_syllables, syllable_offsets

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# The standard library sorts a run of marks by swapping neighbours, in quadratic time. This class covers all characters
# that decompose to marks only.
_LONG_RUN = regex.compile(r"[\p{M}\uff9e\uff9f]{100}")


def to_form(text: str, form: Form) -> str:
    """`unicodedata.normalize`, but long runs of marks are sorted first."""
    if len(text) >= 100 and _LONG_RUN.search(text):
        text = _in_order(text, "NFKD" if "K" in form else "NFD")
    return unicodedata.normalize(form, text)


def composed(text: str) -> str:
    """The text in NFC: what a person types or a file names is compared with other text in this form.

    macOS and some keyboards write NFD, where a Hangul syllable is two or three characters that look like one.
    """
    return to_form(text, "NFC")


def _in_order(text: str, form: Form) -> str:
    """Decompose all characters and sort marks into canonical order."""
    parts = {character: unicodedata.normalize(form, character) for character in set(text)}
    runs = groupby("".join(parts[character] for character in text), lambda one: unicodedata.combining(one) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if are_marks else run) for are_marks, run in runs)


JAMO = "jamo"
_FORMS: dict[str, Form | None] = {"none": None, "nfc": "NFC", "nfd": "NFD", JAMO: None}


def normalize(text: str, form: str) -> str:
    """`text` in the form `none`, `nfc`, `nfd` (Unicode Standard Annex 15) or `jamo`.

    >>> [f"U+{ord(character):04X}" for character in normalize("각", "nfd")]
    ['U+1100', 'U+1161', 'U+11A8']
    """
    require_choice("normalization", form, _FORMS)
    if form == JAMO:
        return decompose(text)
    name = _FORMS[form]
    return text if name is None else to_form(text, name)


def normalized(lines: Sequence[str], form: str) -> Sequence[str]:
    """Every line in the form."""
    return lines if form == "none" else [normalize(line, form) for line in lines]


def normalize_token(text: str, form: str) -> str:
    """Like `normalize`, but a text that is in the form already, as a token's is, stays as it is."""
    return decompose_syllables(text) if form == JAMO else normalize(text, form)


def denormalize(text: str, form: str) -> str:
    """Undo `jamo` in a decoded text; Unicode's forms are not undone."""
    return compose(text) if form == JAMO else text


def text_of_spans(text: str, form: str) -> str:
    """The text to which a tokenizer's spans refer: the normalised text, or with `jamo` the original."""
    return text if form == JAMO else normalize(text, form)


def given_offsets(text: str, form: str) -> np.ndarray | None:
    """Offset in `text_of_spans` of each byte of the normalised text (see `syllable_offsets`); None if equal."""
    return syllable_offsets(text) if form == JAMO else None


class NormalizationChange(NamedTuple):
    """A changed word: `before` became `after`, `times` times."""

    before: str
    after: str
    times: int


def normalization_changes(lines: list[str], form: str, limit: int = 20) -> tuple[int, list[NormalizationChange]]:
    """Number of lines that normalisation changes, and the most frequent changed words.

    Whole white-space-separated words are compared, because a change may span several code points.

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
