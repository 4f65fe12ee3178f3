"""What a changed vocabulary does: tokens per word of texts before and after, and the tokens that differ."""

from collections.abc import Mapping
from typing import Any

from engine.audit.audit import SYLLABLES
from engine.fit.changed import ChangedVocabulary
from engine.measure.fertility_table import fertility_rows
from engine.tokenizer import Tokenizer

BEFORE, AFTER = "before", "after"
_MOST_LISTED = 2000


def changes(before: Tokenizer, changed: ChangedVocabulary, texts: Mapping[str, list[str]]) -> dict[str, Any]:
    """Everything as JSON values.

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


def _n_syllables(tokenizer: Tokenizer) -> int:
    tokens = {tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size)}
    return sum(syllable.encode() in tokens for syllable in SYLLABLES)
