"""What a changed vocabulary does: tokens per word of texts before and after, and the tokens that differ."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.audit.audit import SYLLABLES
from engine.fit.changed import ChangedVocabulary
from engine.measure.fertility_table import fertility_rows
from engine.tokenizer import Tokenizer

BEFORE, AFTER = "before", "after"
_MOST_LISTED = 2000
# Steps of the curve, and lines of the text that it is measured on.
_STEPS, _CURVE_LINES = 8, 10_000
# Columns of `fertility_rows` that a change of the vocabulary is about.
CHANGED_COLUMNS = (
    "vocab_size",
    "tokens",
    "fertility",
    "fertility_low",
    "fertility_high",
    "from_best",
    "from_best_low",
    "from_best_high",
)


def changes(
    before: Tokenizer, changed: ChangedVocabulary, texts: Mapping[str, list[str]], held_back: str | None = None
) -> dict[str, Any]:
    """Everything as JSON values.

    `curve`, of learned tokens, has eight sizes between none and all of them, each with its tokens per word of the text
    `held_back`, by default the first, and the paired difference from the best size.

    `rows` are `fertility_rows` of the models BEFORE and AFTER; `syllables` counts the Hangul syllables that are
    tokens, by model. `added`, `removed` and `parts`, the new ones that a list does not name, are the labels of the
    first such tokens, `n_added`, `n_removed` and `n_parts` count all. `left_out` has the lines of the list that are no
    tokens now, each with the fields of its error.
    """
    after = changed.tokenizer
    added, removed, listed = changed.added, changed.removed, changed.listed
    models = {BEFORE: before, AFTER: after}
    return {
        "rows": fertility_rows([*models.items()], texts),
        "syllables": {name: _n_syllables(one) for name, one in models.items()},
        "curve": _curve(before, changed, texts[held_back or next(iter(texts))]) if texts else [],
        "added": [after.token_label(i) for i in added[:_MOST_LISTED].tolist()],
        "removed": [before.token_label(i) for i in removed[:_MOST_LISTED].tolist()],
        "n_added": added.size,
        "n_removed": removed.size,
        "n_parts": len(listed.parts()),
        "parts": [after.token_label(i) for i in listed.parts()[:_MOST_LISTED]],
        "left_out": [{"line": line, **error.fields()} for line, error in listed.left_out.items()],
        "checked_lines": changed.report.checked_lines,
        "checked_with": changed.report.library,
    }


def _curve(before: Tokenizer, changed: ChangedVocabulary, lines: list[str]) -> list[dict[str, Any]]:
    """Rows of `fertility_rows`, with the number of tokens `added`."""
    n = changed.added.size
    if changed.smaller is None or not n:
        return []
    sizes = np.unique(np.linspace(0, n, _STEPS + 1).astype(int)).tolist()
    made = [before, *map(changed.smaller, sizes[1:-1]), changed.tokenizer]
    rows = fertility_rows([("", one) for one in made], {"": lines[:: -(-len(lines) // _CURVE_LINES) or 1]})
    return [{"added": k, **{name: row[name] for name in CHANGED_COLUMNS}} for k, row in zip(sizes, rows, strict=True)]


def _n_syllables(tokenizer: Tokenizer) -> int:
    tokens = {tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size)}
    return sum(syllable.encode() in tokens for syllable in SYLLABLES)
