"""Unicode normalisation as a step that can be seen: what it changed, and where."""

import unicodedata
from typing import NamedTuple

from engine.errors import InputError

_FORMS = {"none": None, "nfc": "NFC", "nfd": "NFD"}


def normalize(text: str, form: str) -> str:
    """`text` in the normal form `none`, `nfc` or `nfd` (Unicode Standard Annex 15).

    >>> [f"U+{ord(character):04X}" for character in normalize("각", "nfd")]
    ['U+1100', 'U+1161', 'U+11A8']
    """
    if form not in _FORMS:
        raise InputError(
            "unknown {what} {value!r}; choose one of: {choices}",
            code="choice.unknown",
            what="normalization",
            value=form,
            choices=", ".join(_FORMS),
        )
    name = _FORMS[form]
    return text if name is None else unicodedata.normalize(name, text)  # type: ignore[arg-type]


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
