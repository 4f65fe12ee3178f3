"""Unicode's normalisation forms in time that grows with the text alone."""

import unicodedata
from itertools import groupby
from typing import Literal

import regex

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# The standard library exchanges neighbours until marks are in order, which takes the square of a run's length. All
# characters that decompose to marks alone are in this class.
_LONG_RUN = regex.compile(r"[\p{M}\uff9e\uff9f]{100}")


def to_form(text: str, form: Form) -> str:
    """`unicodedata.normalize`; long runs of marks are put in order first."""
    if len(text) >= 100 and _LONG_RUN.search(text):
        text = _in_order(text, "NFKD" if "K" in form else "NFD")
    return unicodedata.normalize(form, text)


def _in_order(text: str, form: Form) -> str:
    """Every character decomposed, and marks in their canonical order."""
    parts = {character: unicodedata.normalize(form, character) for character in set(text)}
    runs = groupby("".join(parts[character] for character in text), lambda one: unicodedata.combining(one) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if are_marks else run) for are_marks, run in runs)
