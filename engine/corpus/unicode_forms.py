"""Unicode normalisation in linear time."""

import unicodedata
from itertools import groupby
from typing import Literal

import regex

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
