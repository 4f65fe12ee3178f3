"""Seed vocabulary x score x search, crossed, with the variance over training texts.

Vocabularies of every seed and score are trained on disjoint parts of the lines, each searched in two ways. The ablation
changes one thing at a time; here an effect is a mean over all levels of the other factors, and its interval is over
training texts: the paper has neither.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.config import TrainingSettings
from engine.measure.encoded import encode_lines
from engine.training import train
from research.evidence.texts import EvidenceTexts, fingerprint

SIZE = 32_000
N_PARTS = 5
SEEDS = ("linguistic", "bpe")
SCORES = ("be_p", "p", "neighbour_be", "tokens", "ml")
SEARCHES = ("most-probable", "fewest")
_STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # 97.5 % quantile of t by number of parts


def _part(texts: EvidenceTexts, part: int) -> list[str]:
    return [line for lines in texts.training.values() for line in lines[part::N_PARTS]]


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    parts = {f"part {part}": fingerprint(_part(texts, part)) for part in range(N_PARTS)}
    return {**parts, "held_back": fingerprint(texts.every_held_back)}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "size": SIZE,
        "seeds": list(SEEDS),
        "scores": list(SCORES),
        "searches": list(SEARCHES),
        "interval": "95 % t over parts",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`tokens` of the held-back lines by part, seed, score and search so far, and their `main_effects`."""
    held_back = texts.every_held_back
    tokens: dict[str, Any] = dict(earlier.get("tokens", {}))
    for part in range(N_PARTS):
        lines = _part(texts, part)
        cells = tokens.setdefault(str(part), {seed: {} for seed in SEEDS})
        for seed in SEEDS:
            for score in SCORES:
                if score not in cells[seed]:
                    chosen = replace(TrainingSettings(), vocab_size=SIZE, seed_vocabulary=seed, score=score)
                    model = train(lines, chosen)
                    fewest = model.fewest_tokens(held_back)
                    assert fewest is not None  # every byte is a token in each vocabulary
                    counts = (encode_lines(model, held_back).n_tokens, fewest.sum())
                    cells[seed][score] = dict(zip(SEARCHES, map(int, counts), strict=True))
                    yield {"tokens": tokens, "effects": main_effects(tokens)}


def main_effects(tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Change of the tokens in percent, [mean, low, high] over the complete parts, from the first level of each factor.

    A main effect is the mean over all levels of the other factors (of the logarithms). `seed by score` and
    `search by score` are the effects of the seed and of the search within each score.
    """
    complete = [
        np.log([[[own[seed][score][search] for search in SEARCHES] for score in SCORES] for seed in SEEDS])
        for own in tokens.values()
        if all(score in own[seed] for seed in SEEDS for score in SCORES)
    ]
    if len(complete) < 2:
        return {}
    cells = np.array(complete)  # part, seed, score, search
    return {
        "parts": len(complete),
        "seed": {"bpe": _effect((cells[:, 1] - cells[:, 0]).mean((1, 2)))},
        "score": {
            score: _effect((cells[:, :, k] - cells[:, :, 0]).mean((1, 2))) for k, score in enumerate(SCORES) if k
        },
        "search": {"fewest": _effect((cells[..., 1] - cells[..., 0]).mean((1, 2)))},
        "seed by score": {score: _effect((cells[:, 1, k] - cells[:, 0, k]).mean(1)) for k, score in enumerate(SCORES)},
        "search by score": {
            score: _effect((cells[:, :, k, 1] - cells[:, :, k, 0]).mean(1)) for k, score in enumerate(SCORES)
        },
    }


def _effect(logs: np.ndarray) -> list[float]:
    """Percent, [mean, low, high], of differences of logarithms, one per part."""
    mean, half = logs.mean(), _STUDENT[logs.size] * logs.std(ddof=1) / np.sqrt(logs.size)
    return [round(100 * float(np.expm1(value)), 3) for value in (mean, mean - half, mean + half)]
