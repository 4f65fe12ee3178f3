"""Every algorithm at one size on one text: tokens per word beside bits per byte and beside F1 of morpheme boundaries.

Fewer tokens alone are no virtue: a tokenizer can also make text harder to predict, or cut across morphemes. The shipped
models are those of SIZE tokens; the others are trained on the same lines. All are scored on the same held-back lines
that every one restores, and on a treebank.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.config import TrainingSettings, defaults_of
from engine.measure.best import ties_with_best
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.intrinsic import floor
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import read_gold
from engine.measure.token_ngrams import token_model
from engine.measure.words import find_words
from engine.shipped.catalogue import load_shipped, shipped_models
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence.ablation import ratio_with_interval
from research.evidence.ngrams import BYTES, CONTEXT, ORDERS, bits_by_order, line_sizes, restored_lines
from research.evidence.texts import EvidenceTexts, fingerprint
from research.shipped.morphology import GOLD, measured

SIZE = 32_000


def _merged(algorithm: str = "byte-bpe", **settings: Any) -> TrainingSettings:
    return replace(defaults_of(algorithm), vocab_size=SIZE, **settings)


TRAINED = {
    "superbpe-90": _merged("superbpe", transition=0.9),
    "superbpe-80": _merged("superbpe", transition=0.8),
    "byte-bpe-kiwi": _merged(pretokenizer="kiwi-j-e-vcp-xsv"),
    "byte-bpe-kiwi-morphemes": _merged(pretokenizer="kiwi-morphemes"),
}
"""Those that are not shipped."""
MEASURES = {"tokens": True, "bits": True, "f1": False}
"""What is compared, and whether fewer is better."""


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    held_back = texts.every_held_back
    return {
        "training": fingerprint(texts.part(1)),
        "held_back": fingerprint(held_back),
        "treebank": fingerprint((texts.folder / GOLD).read_text(encoding="utf-8").split("\n")),
    }


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "vocab_size": SIZE,
        "tokenizers": list(_shipped_names()),
        "trained": {name: [one.algorithm, one.pretokenizer, one.transition] for name, one in TRAINED.items()},
        "context_bytes": CONTEXT,
        "smoothing": "interpolated Kneser-Ney",
        "interval": "95 % bootstrap over lines; of F1 over sentences",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`lines` and `bytes` of what is scored, and `tokenizers` by name.

    Of each, `tokens` (per word), `bits` (per byte) and `f1` are [value, low, high]; `floor` is the fewest tokens per
    word that its vocabulary allows, null where that is undefined; `best` names the measures in which the table cannot
    tell it from the best.
    """
    training = texts.part(1)
    tokenizers = {name: load_shipped(name) for name in _shipped_names()}
    tokenizers |= {name: train(training, chosen) for name, chosen in TRAINED.items()}
    lines = restored_lines(tokenizers.values(), texts.every_held_back)
    sizes = line_sizes(lines)
    analysis = gold_analysis(read_gold(texts.folder / GOLD))
    rows: dict[str, Any] = {}
    sums: dict[str, list[np.ndarray]] = {name: [] for name in MEASURES}
    for name, tokenizer in tokenizers.items():
        encoded = encode_lines(tokenizer, lines)
        words = find_words(encoded.seen)
        bits = _bits(tokenizer, training, encoded)
        scores = measured(tokenizer, analysis)
        least = floor(encoded, words)
        rows[name] = {
            "tokens": ratio_with_interval(encoded.per_line, words.per_line),
            "floor": least and round(least.fertility.value, 4),
            "bits": ratio_with_interval(bits, sizes),
            "f1": [scores.measures[key] for key in ("f1", "low", "high")],
        }
        sums["tokens"].append(np.column_stack([encoded.per_line, words.per_line]))
        sums["bits"].append(np.column_stack([bits, sizes]))
        sums["f1"].append(scores.f1_sums)
    for measure, is_lowest in MEASURES.items():
        (against,) = ties_with_best([sums[measure]], is_lowest)
        for row, one in zip(rows.values(), against, strict=True):
            row.setdefault("best", []).extend([measure] * one.is_best)
    yield {"lines": len(lines), "bytes": int(sizes.sum()), "tokenizers": rows}


def _shipped_names() -> Sequence[str]:
    return [name for name, one in shipped_models().items() if one.vocab_size == SIZE]


def _bits(tokenizer: Tokenizer, training: list[str], held_back: EncodedLines) -> np.ndarray:
    """float[n_lines]: bits of every line under n-grams with a context of CONTEXT bytes."""
    return bits_by_order(token_model(encode_lines(tokenizer, training), max(ORDERS)), held_back)[BYTES]
