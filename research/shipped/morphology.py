"""`make morphology`: scores the shipped and public tokenizers on the morphemes of a treebank that is not shipped.

    python -m research.shipped.morphology FOLDER

FOLDER contains ko_kaist_dev.conllu: UD_Korean-Kaist (dev) with its parts of speech. Its licence permits measuring on it
but not redistribution, so only numbers are written. The same files give the same bytes.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.evidence.treebank import FILE
from engine.measure.best import ties_with_best
from engine.measure.morphemes.analysis import Analysis, gold_analysis
from engine.measure.morphemes.gold import read_gold
from engine.measure.morphemes.morphology import TradeoffPoint, morphology_scores, tradeoff_points
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available, load_public
from engine.shipped.catalogue import load_shipped, shipped_content, shipped_models
from engine.tokenizer import Tokenizer

GOLD = "ko_kaist_dev.conllu"
_DIGITS = 4


class Measured(NamedTuple):
    """The measures as stored, except those relative to the best, with the points; and `f1_sums` of the scores."""

    measures: dict[str, float | None]
    points: list[TradeoffPoint]
    f1_sums: np.ndarray


def measured(tokenizer: Tokenizer, analysis: Analysis) -> Measured:
    """One tokenizer alone."""
    scores = morphology_scores(tokenizer, analysis, has_parts=False)
    low, high = scores.measures["f1"].interval or (None, None)
    values: dict[str, float | None] = {"fertility": scores.fertility.value}
    values |= {name: one.value for name, one in scores.measures.items()} | {"low": low, "high": high}
    points = [
        point._replace(fertility=round(point.fertility, _DIGITS), f1=round(point.f1, _DIGITS))
        for point in tradeoff_points(tokenizer, analysis)
    ]
    return Measured(_rounded(values), points, scores.f1_sums)


def against_best(found: Sequence[Measured]) -> list[dict[str, float | None]]:
    """The measures of each, with those relative to the best."""
    (against,) = ties_with_best([[one.f1_sums for one in found]])
    return [one.measures | _rounded(own.fields()) for one, own in zip(found, against, strict=True)]


def _rounded(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {
        name: None if value is None or value != value else value if isinstance(value, bool) else round(value, _DIGITS)
        for name, value in values.items()
    }


def main(folder: Path) -> None:
    """Measure all tokenizers, and write the file."""
    path = folder / GOLD
    gold = read_gold(path)
    analysis = gold_analysis(gold)
    names, found = [], []
    for reference, fingerprint, tokenizer in _tokenizers():
        own = measured(tokenizer, analysis)
        names.append({"reference": reference, "sha256": fingerprint})
        found.append(own)
        sys.stderr.write(f"{reference}: F1 {own.measures['f1']}, fertility {own.measures['fertility']}\n")
    rows = [
        json.dumps(name | {"measures": measures, "points": own.points}, ensure_ascii=False)
        for name, measures, own in zip(names, against_best(found), found, strict=True)
    ]
    content = {
        "command": "python -m research.shipped.morphology FOLDER",
        "gold": {
            "name": GOLD,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "sentences": len(gold),
            "eojeols": int(analysis.aligned.size),
            "aligned": int(analysis.aligned.sum()),
            "unaligned": len(analysis.unaligned),
            "tags_of": analysis.tags_of,
        },
        "seed": 0,
        "tokenizers": [],
    }
    # One line per tokenizer.
    text = json.dumps(content, ensure_ascii=False, indent=1).replace("[]", "[\n" + ",\n".join(rows) + "\n ]")
    FILE.write_text(text + "\n", encoding="utf-8")


def _tokenizers() -> Iterator[tuple[str, str, Tokenizer]]:
    """Each with its reference and the SHA-256 of its model file, or of a public one's tokens."""
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
