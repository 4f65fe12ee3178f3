"""Description length by vocabulary size: where the bits of text and vocabulary together are fewest.

This is the textbook's view of a tokenizer as a code. The best size grows with the text, so two lengths are measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.config import TrainingSettings, defaults_of
from engine.errors import InputError
from engine.measure.description import description_length
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
    length = description_length(encode_lines(tokenizer, lines).counts(), spellings)
    return {
        "vocab_size": tokenizer.vocab_size,
        "text": round(length.text),
        "vocabulary": round(length.vocabulary),
        "bits_per_byte": round(length.total / n_bytes, 5),
    }
