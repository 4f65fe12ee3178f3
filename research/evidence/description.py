"""Description length by vocabulary size: where the bits of text and vocabulary together are fewest.

This is the textbook's view of a tokenizer as a code. The best size grows with the text, so two lengths are measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import lgamma
from typing import Any

import numpy as np

from engine.config import TrainingSettings, defaults_of
from engine.errors import InputError
from engine.exact_math import logs
from engine.measure.encoded import encode_lines, units_per_line
from engine.training import train
from research.evidence.texts import EvidenceTexts, fingerprint

SIZES = (300, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000)
STEPS = (240, 24)
RECIPES = {"byte-bpe": replace(defaults_of("byte-bpe"), pretokenizer="gpt2"), "thunder-tok": TrainingSettings()}


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {f"step {step}": fingerprint(texts.part(step)) for step in STEPS}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {"sizes": list(SIZES), "steps": list(STEPS), "recipes": list(RECIPES)}


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """By step k (every k-th line): `bytes` of the text, and by recipe one row for each feasible size.

    A row has `vocab_size`, `text` and `vocabulary` (bits) and `bits_per_byte` for both together.
    """
    found: dict[str, Any] = dict(earlier)
    for step in STEPS:
        if str(step) in found:
            continue
        lines = texts.part(step)
        n_bytes = int((units_per_line(lines, "bytes") + 1).sum())
        found[str(step)] = {"bytes": n_bytes}
        for name, recipe in RECIPES.items():
            found[str(step)][name] = [
                row for size in SIZES if (row := _row(lines, replace(recipe, vocab_size=size), n_bytes))
            ]
        yield found


def _row(lines: list[str], chosen: TrainingSettings, n_bytes: int) -> dict[str, Any] | None:
    """A row; None if the text is too small for a vocabulary of that size."""
    try:
        tokenizer = train(lines, chosen)
    except InputError:
        return None
    if tokenizer.vocab_size < chosen.vocab_size:  # no pair is left to merge
        return None
    spellings = [tokenizer.token_bytes(i) for i in range(tokenizer.vocab_size)]
    text, vocabulary = description_length(encode_lines(tokenizer, lines).counts(), spellings)
    return {
        "vocab_size": tokenizer.vocab_size,
        "text": round(text),
        "vocabulary": round(vocabulary),
        "bits_per_byte": round((text + vocabulary) / n_bytes, 5),
    }


_LN2 = float(np.log(2))


def description_length(counts: np.ndarray, spellings: list[bytes]) -> tuple[float, float]:
    """Bits of the text as tokens, and of the vocabulary, given how often a text uses each token.

    They are the two parts of a code (Rissanen 1978; for vocabularies de Marcken 1996 and Morfessor Baseline, Creutz and
    Lagus 2007).

    The text takes −log2 of its tokens' own shares, the optimum of a unigram code. The vocabulary consists only of
    tokens that the text uses: their bytes and an end mark each, coded by the shares of these bytes and marks, and their
    counts, one of C(N − 1, M − 1) ways to distribute N tokens over M types.

    Parameters
    ----------
    counts : int64[n_tokens], uses in the text.
    spellings : bytes of each token.

    >>> text, vocabulary = description_length(np.array([2, 2]), [b"a", b"b"])
    >>> text, round(vocabulary, 3)
    (4.0, 7.585)
    """
    used = np.flatnonzero(counts)
    spelled = b"".join(spellings[i] for i in used.tolist())
    n, kinds = int(counts.sum()), used.size
    marks = np.append(np.bincount(np.frombuffer(spelled, dtype=np.uint8), minlength=256), kinds)
    return _code_bits(counts), _code_bits(marks) + _choices_bits(n - 1, kinds - 1)


def _code_bits(counts: np.ndarray) -> float:
    """Bits of a sequence with these symbol counts, coded by the symbols' own shares."""
    used = counts[counts > 0].astype(np.float64)
    return float((used * (logs(np.array([used.sum()])) - logs(used))).sum() / _LN2) if used.size else 0.0


def _choices_bits(n: int, k: int) -> float:
    """log2 of the ways to choose k of n."""
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / _LN2 if k > 0 else 0.0
