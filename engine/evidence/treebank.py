"""Morphology scores of shipped and public tokenizers on a treebank, stored by `make morphology`."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.measure.morphemes.morphology import TradeoffPoint

FILE = Path(__file__).resolve().parents[2] / "assets" / "gold" / "kaist.json"


class Stored(NamedTuple):
    """Scores of a tokenizer on the treebank.

    Attributes
    ----------
    reference : `shipped:thunder-tok-32k`, `public:o200k_base`.
    measures : fertility and the measures of `engine.measure.morphemes.morphology`, the interval of F1 (`low`, `high`),
        and F1 relative to the best (`engine.measure.best.FromBest.fields`); None for unknown values.
    points : see `engine.measure.morphemes.morphology`.
    """

    reference: str
    measures: dict[str, float | None]
    points: list[TradeoffPoint]


@cache
def stored_facts() -> dict[str, Any]:
    """What was measured and how: `command`, `gold` (name, sha256, sentences, eojeols, aligned, `unaligned`: the number
    of distinct eojeols that could not be aligned, tags_of), `seed`."""
    facts: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


@cache
def stored_scores() -> dict[str, Stored]:
    """All stored scores, by reference."""
    return {
        row["reference"]: Stored(row["reference"], row["measures"], [TradeoffPoint(*point) for point in row["points"]])
        for row in stored_facts()["tokenizers"]
    }
