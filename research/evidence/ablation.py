"""Which part of the recipe saves tokens: by vocabulary size and by register, on held-back lines.

The paper's Tables 5 and 12 have one size and no intervals. Here every finding is a change between two recipes that
differ in one thing, with a bootstrap interval over lines, so that it shows where the effect holds and where it
reverses.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RECIPES, TrainingSettings, defaults_of
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.intrinsic import fertility, floor
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import read_gold
from engine.measure.morphemes.morphology import morphology_scores
from engine.measure.result import Measure, bootstrap_ratio
from engine.measure.words import find_words
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence.texts import EvidenceTexts, fingerprint

STEPS = {2000: 4, 8000: 4, 32_000: 4, 128_000: 1}
"""Sizes, and of how many training lines one is used for each."""
ALL = "all"
_GOLD = Path(__file__).resolve().parents[2] / "assets" / "gold" / "ko_morphemes.tsv"


def _pruned(**settings: str) -> TrainingSettings:
    return replace(TrainingSettings(), **settings)  # type: ignore[arg-type]


def _merged(pretokenizer: str) -> TrainingSettings:
    return replace(defaults_of("byte-bpe"), pretokenizer=pretokenizer)


RECIPE_SETTINGS = {
    "byte-bpe": _merged("gpt2"),
    "byte-bpe-thunder-tok": _merged("thunder-tok"),
    "byte-bpe-joined": _merged("thunder-tok-joined"),
    "unigram": replace(defaults_of("unigram"), pretokenizer="gpt2"),
    "unigram-thunder-tok": replace(defaults_of("unigram"), pretokenizer="thunder-tok"),
    "thunder-tok": _pruned(),
    "thunder-tok-gpt2": _pruned(pretokenizer="gpt2"),
    "thunder-tok-p": _pruned(score="p"),
    "thunder-tok-neighbours": _pruned(score="neighbour_be"),
    "thunder-tok-tokens": _pruned(score="tokens"),
    "thunder-tok-bpe-seed": _pruned(seed_vocabulary="bpe"),
    "thunder-tok-joined": _pruned(pretokenizer="thunder-tok-joined"),
    "fewest-tokens": _pruned(**RECIPES["fewest-tokens"]),
}

FINDINGS = {
    "paper": ("byte-bpe", "thunder-tok"),
    "pretokenizer-bpe": ("byte-bpe", "byte-bpe-thunder-tok"),
    "pretokenizer-thunder-tok": ("thunder-tok-gpt2", "thunder-tok"),
    "bpe-inside": ("thunder-tok", "byte-bpe-thunder-tok"),
    "p-alone": ("thunder-tok", "thunder-tok-p"),
    "neighbours": ("thunder-tok", "thunder-tok-neighbours"),
    "score-tokens": ("thunder-tok", "thunder-tok-tokens"),
    "bpe-seed": ("thunder-tok", "thunder-tok-bpe-seed"),
    "joined": ("thunder-tok", "thunder-tok-joined"),
    "fewest-tokens": ("byte-bpe", "fewest-tokens"),
    "fewest-tokens-bpe": ("byte-bpe-joined", "fewest-tokens"),
    "pretokenizer-unigram": ("unigram", "unigram-thunder-tok"),
}
"""From one recipe to another: what changes, and by how much, is the finding."""


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {
        "training": fingerprint(texts.part(STEPS[2000])),
        "training_all": fingerprint(texts.part(1)),
        "held_back": fingerprint(_by_register(texts)[ALL]),
        "gold": fingerprint([word.surface for sentence in read_gold(_GOLD) for word in sentence.words]),
    }


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "training_steps": {str(size): step for size, step in STEPS.items()},
        "recipes": {
            name: {what: getattr(one, what) for what in ("algorithm", "pretokenizer", "score", "seed_vocabulary")}
            for name, one in RECIPE_SETTINGS.items()
        },
        "findings": {name: list(pair) for name, pair in FINDINGS.items()},
        "interval": "95 % bootstrap over lines",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`lines` and `words` by register; `sizes`: the measurements so far by size, each as [value, low, high].

    By size: `fertility` by recipe and register (tokens per white-space-separated word), `above_floor` by recipe (share
    of tokens beyond the fewest that the vocabulary allows), `morphology` by recipe (F1 of boundaries inside the eojeols
    of the gold file) and `gold_fertility`; `findings` by finding and register: change in percent.
    """
    held_back = _by_register(texts)
    result = {
        "lines": {register: len(lines) for register, lines in held_back.items()},
        "words": {register: int(find_words(lines).begin.size) for register, lines in held_back.items()},
        "sizes": dict(earlier.get("sizes", {})),
    }
    for size, step in STEPS.items():
        found = result["sizes"].setdefault(str(size), {})
        for _ in _findings(texts.part(step), held_back, size, found):
            yield result


def _by_register(texts: EvidenceTexts) -> dict[str, list[str]]:
    return {ALL: [line for lines in texts.held_back.values() for line in lines], **texts.held_back}


def _findings(
    lines: Sequence[str], held_back: Mapping[str, list[str]], size: int, found: dict[str, Any]
) -> Iterator[None]:
    """Add the findings of a size that are missing; yields after each."""
    tokens: dict[str, dict[str, np.ndarray]] = {}
    changes = found.setdefault("findings", {})
    for finding, pair in FINDINGS.items():
        if finding not in changes:
            for name in pair:
                if name not in tokens:
                    tokens[name] = _measured(
                        train(lines, replace(RECIPE_SETTINGS[name], vocab_size=size)), name, held_back, found
                    )
            before, after = (tokens[name] for name in pair)
            changes[finding] = {register: change(before[register], after[register]) for register in held_back}
            yield


def _measured(
    tokenizer: Tokenizer, name: str, held_back: Mapping[str, list[str]], found: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Add a recipe's figures; returns its tokens per line by register."""
    encoded = {register: encode_lines(tokenizer, text) for register, text in held_back.items()}
    least = floor(encoded[ALL], find_words(encoded[ALL].seen))
    assert least is not None  # every byte is a token in each vocabulary
    scores = morphology_scores(tokenizer, gold_analysis(read_gold(_GOLD)))
    figures = {
        "fertility": {register: _fertility(one) for register, one in encoded.items()},
        "above_floor": _triple(least.above),
        "morphology": _triple(scores.measures["f1"]),
        "gold_fertility": _triple(scores.fertility),
    }
    for what, value in figures.items():
        found.setdefault(what, {})[name] = value
    return {register: one.per_line for register, one in encoded.items()}


def _fertility(encoded: EncodedLines) -> list[float | None]:
    return _triple(fertility(encoded, find_words(encoded.seen)))


def change(before: np.ndarray, after: np.ndarray) -> list[float | None]:
    """Change in percent between tokens per line (int[n_lines], the same lines): [value, low, high]."""
    interval = bootstrap_ratio(after, before)
    values = (after.sum() / before.sum(), *(interval or (None, None)))
    return [None if value is None else round(100 * (float(value) - 1), 2) for value in values]


def _triple(measure: Measure) -> list[float | None]:
    values = (measure.value, *(measure.interval or (None, None)))
    return [None if value is None else round(value, 4) for value in values]
