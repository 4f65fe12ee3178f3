"""The curse of multilinguality in a vocabulary: languages added one by one at a fixed size.

Conneau et al. (2020) describe it for models: the more languages, the less of a fixed capacity each one has. A
vocabulary is such a capacity. Every fifth parallel sentence is held back; each language's tokens are counted on these.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import numpy as np

from engine.config import defaults_of
from engine.measure.encoded import encode_lines
from engine.measure.parallel import sampling_shares
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence.ablation import change
from research.evidence.texts import EvidenceTexts, fingerprint

SIZE = 4000
ORDER = ("ko", "en", "ja", "zh", "de", "fr", "es", "ru", "tr", "ar", "hi", "th")
ALPHAS = (1.0, 0.7, 0.5, 0.3, 0.0)
_HELD_BACK = 5


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {language: fingerprint(texts.parallel[language]) for language in ORDER}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "algorithm": "byte-bpe",
        "pretokenizer": "gpt2",
        "vocab_size": SIZE,
        "languages": list(ORDER),
        "held_back": f"every {_HELD_BACK}th sentence",
        "alphas": list(ALPHAS),
        "interval": "95 % bootstrap over sentences",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`joined`, `shared` and `alpha`.

    `joined`, one row for each number of languages: `tokens` per held-back sentence by language, `change` in percent
    since the language joined, [value, low, high]. `shared`, with all languages: share of a language's token types that
    another language also uses, by pair. `alpha`: tokens per sentence by language if the k-th language has 1/k of the
    first one's sentences and lines are drawn by shares^alpha.
    """
    training = {one: [line for i, line in enumerate(texts.parallel[one]) if i % _HELD_BACK] for one in ORDER}
    held_back = {one: texts.parallel[one][::_HELD_BACK] for one in ORDER}
    joined = []
    first: dict[str, np.ndarray] = {}
    for n in range(1, len(ORDER) + 1):
        tokenizer = _trained([line for one in ORDER[:n] for line in training[one]])
        per_line = {one: encode_lines(tokenizer, held_back[one]).per_line for one in ORDER[:n]}
        first = {**per_line, **first}
        joined.append(
            {
                "languages": n,
                "tokens": {one: _mean(tokens) for one, tokens in per_line.items()},
                "change": {one: change(first[one], tokens) for one, tokens in per_line.items()},
            }
        )
    found: dict[str, Any] = {"joined": joined, "shared": _shared(tokenizer, training)}
    yield {**found, "alpha": {str(alpha): _at(alpha, training, held_back) for alpha in ALPHAS}}


def _trained(lines: Sequence[str]) -> Tokenizer:
    return train(lines, replace(defaults_of("byte-bpe"), pretokenizer="gpt2", vocab_size=SIZE))


def _mean(tokens: np.ndarray) -> float:
    return round(float(tokens.mean()), 3)


def _shared(tokenizer: Tokenizer, texts: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    uses = {one: encode_lines(tokenizer, lines).counts() > 0 for one, lines in texts.items()}
    return {
        one: {other: round(float((uses[one] & uses[other]).sum() / uses[one].sum()), 4) for other in uses}
        for one in uses
    }


def _at(
    alpha: float, training: Mapping[str, Sequence[str]], held_back: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    sizes = {one: len(training[one]) // (k + 1) for k, one in enumerate(ORDER)}
    total = sum(sizes.values())
    drawn = [
        line
        for one, share in sampling_shares({one: float(size) for one, size in sizes.items()}, alpha).items()
        for line in islice(cycle(training[one][: sizes[one]]), round(share * total))
    ]
    tokenizer = _trained(drawn)
    return {one: _mean(encode_lines(tokenizer, held_back[one]).per_line) for one in ORDER}
