"""The morphology scores of shipped and public tokenizers on a treebank, as `make morphology` stored them."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.measure.morphemes.tradeoff import TradeoffPoint

FILE = Path(__file__).resolve().parents[2] / "assets" / "gold" / "kaist.json"


class Stored(NamedTuple):
    """A tokenizer on the treebank.

    Attributes
    ----------
    reference : `shipped:thunder-tok-32k`, `public:o200k_base`.
    measures : fertility and the measures of `engine.measure.morphemes.morphology`, the interval of F1 (`low`, `high`),
        and F1 against the best of all (`engine.measure.best.FromBest.fields`); None for what is not known.
    points : as `engine.measure.morphemes.tradeoff` gives them.
    """

    reference: str
    measures: dict[str, float | None]
    points: list[TradeoffPoint]


@cache
def stored_facts() -> dict[str, Any]:
    """What the numbers are of: `command`, `gold` (name, sha256, sentences, eojeols, aligned, `unaligned`: how many
    distinct ones could not be, tags_of), `seed`."""
    facts: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


@cache
def stored_scores() -> dict[str, Stored]:
    """All that are stored, by reference."""
    return {
        row["reference"]: Stored(row["reference"], row["measures"], [TradeoffPoint(*point) for point in row["points"]])
        for row in stored_facts()["tokenizers"]
    }
