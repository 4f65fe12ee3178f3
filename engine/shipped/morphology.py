"""`make morphology`: what the shipped and public tokenizers make of the morphemes of a treebank that is not shipped.

    python -m engine.shipped.morphology FOLDER

FOLDER holds ko_kaist_morph.tsv: UD_Korean-Kaist (dev), whose licence lets the app measure on it but not give it away.
Written are numbers only. The same files give the same bytes.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.measure.analysis import Analysis, gold_analysis
from engine.measure.gold import read_gold
from engine.measure.morphology import morphology_scores
from engine.measure.tradeoff import Point, tradeoff_points
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import shipped_models
from engine.shipped.load import load_shipped, shipped_content
from engine.tokenizer import Tokenizer

FILE = Path(__file__).resolve().parents[2] / "assets" / "gold" / "kaist.json"
GOLD = "ko_kaist_morph.tsv"
_DIGITS = 4


class Stored(NamedTuple):
    """A tokenizer on the treebank.

    Attributes
    ----------
    reference : `shipped:thunder-tok-32k`, `public:o200k_base`.
    measures : fertility and the measures of `engine.measure.morphology`, and the interval of F1 (`low`, `high`); None
        for what is not known.
    points : as `engine.measure.tradeoff` gives them.
    """

    reference: str
    measures: dict[str, float | None]
    points: list[Point]


@cache
def stored_facts() -> dict[str, Any]:
    """What the numbers are of: `command`, `gold` (name, sha256, sentences, eojeols, aligned), `seed`."""
    facts: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


@cache
def stored_scores() -> dict[str, Stored]:
    """All that are stored, by reference."""
    return {
        row["reference"]: Stored(row["reference"], row["measures"], [Point(*point) for point in row["points"]])
        for row in stored_facts()["tokenizers"]
    }


def measured(tokenizer: Tokenizer, analysis: Analysis) -> tuple[dict[str, float | None], list[Point]]:
    """The measures and the points of a tokenizer, as they are stored."""
    scores = morphology_scores(tokenizer, analysis, has_parts=False)
    low, high = scores.measures["f1"].interval or (None, None)
    values: dict[str, float | None] = {"fertility": scores.fertility.value}
    values |= {name: one.value for name, one in scores.measures.items()} | {"low": low, "high": high}
    points = [
        point._replace(fertility=round(point.fertility, _DIGITS), f1=round(point.f1, _DIGITS))
        for point in tradeoff_points(tokenizer, analysis)
    ]
    return {name: _rounded(value) for name, value in values.items()}, points


def _rounded(value: float | None) -> float | None:
    return None if value is None or value != value else round(value, _DIGITS)


def main(folder: Path) -> None:
    """Measure them all, and write the file."""
    path = folder / GOLD
    gold = read_gold(path)
    analysis = gold_analysis(gold)
    rows = []
    for reference, fingerprint, tokenizer in _tokenizers():
        measures, points = measured(tokenizer, analysis)
        row = {"reference": reference, "sha256": fingerprint, "measures": measures, "points": points}
        rows.append(json.dumps(row, ensure_ascii=False))
        sys.stderr.write(f"{reference}: F1 {measures['f1']}, fertility {measures['fertility']}\n")
    content = {
        "command": "python -m engine.shipped.morphology FOLDER",
        "gold": {
            "name": GOLD,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "sentences": len(gold),
            "eojeols": int(analysis.aligned.size),
            "aligned": int(analysis.aligned.sum()),
        },
        "seed": 0,
        "tokenizers": [],
    }
    # A line a tokenizer.
    text = json.dumps(content, ensure_ascii=False, indent=1).replace("[]", "[\n" + ",\n".join(rows) + "\n ]")
    FILE.write_text(text + "\n", encoding="utf-8")


def _tokenizers() -> Iterator[tuple[str, str, Tokenizer]]:
    """Each with its reference and SHA-256 of its model file; of a public one, of its tokens."""
    for shipped in shipped_models().values():
        content = shipped_content(shipped.name)
        yield shipped.reference, hashlib.sha256(content).hexdigest(), load_shipped(shipped.name)
    for public in PUBLIC_TOKENIZERS.values():
        if is_available(public.name):
            tokenizer = load_public(public.name)
            tokens = b"\0".join(map(tokenizer.token_bytes, range(tokenizer.vocab_size)))
            yield public.reference, hashlib.sha256(tokens).hexdigest(), tokenizer


if __name__ == "__main__":
    main(Path(sys.argv[1]))
