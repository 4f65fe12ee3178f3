"""Which part of the recipe saves tokens: by vocabulary size, on held-back lines.

The paper's Tables 5 and 12 have one size and no intervals. Here every finding is a change between two recipes that
differ in one thing, with a bootstrap interval over lines; that of the paper's recipe also by register.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.config import RECIPES, TrainingSettings, defaults_of
from engine.measure.encoded import encode_lines
from engine.measure.result import bootstrap_ratio, ratio
from engine.training import train
from research.evidence.texts import EvidenceTexts, fingerprint

STEPS = {2000: 4, 8000: 4, 32_000: 4, 128_000: 1}
"""Sizes, and of how many training lines one is used for each."""
ALL = "all"


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
_BY_REGISTER = "paper"


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {
        "training": fingerprint(texts.part(STEPS[2000])),
        "training_all": fingerprint(texts.part(1)),
        "held_back": fingerprint(_by_register(texts)[ALL]),
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
    """`sizes`: by size, the `findings` so far: change in percent by register, [value, low, high]."""
    held_back = _by_register(texts)
    sizes = dict(earlier.get("sizes", {}))
    for size, step in STEPS.items():
        found = sizes.setdefault(str(size), {"findings": {}})
        for _ in _findings(texts.part(step), held_back, size, found["findings"]):
            yield {"sizes": sizes}


def _by_register(texts: EvidenceTexts) -> dict[str, list[str]]:
    return {ALL: texts.every_held_back, **texts.held_back}


def _findings(
    lines: Sequence[str], held_back: Mapping[str, list[str]], size: int, changes: dict[str, Any]
) -> Iterator[None]:
    """Add the findings of a size that are missing; yields after each."""
    tokens: dict[str, dict[str, np.ndarray]] = {}
    for finding, pair in FINDINGS.items():
        if finding not in changes:
            for name in pair:
                if name not in tokens:
                    model = train(lines, replace(RECIPE_SETTINGS[name], vocab_size=size))
                    tokens[name] = {register: encode_lines(model, own).per_line for register, own in held_back.items()}
            before, after = (tokens[name] for name in pair)
            registers = held_back if finding == _BY_REGISTER else [ALL]
            changes[finding] = {register: change(before[register], after[register]) for register in registers}
            yield


def change(before: np.ndarray, after: np.ndarray) -> list[float | None]:
    """Change in percent between tokens per line (int[n_lines], the same lines): [value, low, high]."""
    return [None if one is None else round(100 * (one - 1), 2) for one in _ratio(after, before)]


def ratio_with_interval(
    numerator: np.ndarray, denominator: np.ndarray, digits: int = 4, factor: float = 1
) -> list[float | None]:
    """Ratio of the sums over lines, times a factor: [value, low, high]."""
    return [None if one is None else round(factor * one, digits) for one in _ratio(numerator, denominator)]


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> tuple[float | None, ...]:
    interval = bootstrap_ratio(numerator, denominator) or (None, None)
    return ratio(numerator.sum(), denominator.sum()), *interval
