"""Bits per character of held-back lines under an n-gram model of each tokenizer's tokens: the live view, on more text.

Twice: the shipped models on part of their training text, and the tokenizers of `downstream` on exactly the bytes that
its transformers read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.measure.token_ngrams import ORDER, bits_per_character, predicted_bits
from engine.shipped.catalogue import shipped_models
from engine.shipped.load import load_shipped
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence import downstream
from research.evidence.ablation import change
from research.evidence.texts import EvidenceTexts, fingerprint

SHIPPED_STEP = 24
_FIRST = {"shipped": "byte-bpe-32k", "downstream": "byte-bpe"}


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {"shipped": fingerprint(texts.part(SHIPPED_STEP)), **downstream.corpus(texts)}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "order": ORDER,
        "smoothing": "interpolated Kneser-Ney",
        "shipped_step": SHIPPED_STEP,
        "tokenizer_step": downstream.TOKENIZER_STEP,
        "model_step": downstream.MODEL_STEP,
        "vocab_size": downstream.VOCAB_SIZE,
        "against": _FIRST,
        "interval": "95 % bootstrap over lines",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`shipped` and `downstream`: by tokenizer, the result of `_measured`; tokenizers that cannot restore a text are
    left out."""
    held_back = [line for lines in texts.held_back.values() for line in lines]
    found: dict[str, Any] = dict(earlier)
    if "shipped" not in found:
        shipped = {name: load_shipped(name) for name in shipped_models()}
        found["shipped"] = _measured(shipped, texts.part(SHIPPED_STEP), held_back, _FIRST["shipped"])
        yield found
    if "downstream" not in found:
        lines = texts.part(downstream.TOKENIZER_STEP)
        trained = {name: train(lines, chosen) for name, chosen in downstream.TOKENIZERS.items()}
        found["downstream"] = _measured(trained, texts.part(downstream.MODEL_STEP), held_back, _FIRST["downstream"])
        yield found


def _measured(
    tokenizers: Mapping[str, Tokenizer], lines: Sequence[str], held_back: Sequence[str], first: str
) -> dict[str, Any]:
    """By tokenizer: `bits_per_character` [value, low, high], `bits_per_byte`, `tokens` of the held-back lines, and
    `change` in percent from the first, [value, low, high] over the same lines."""
    bits: dict[str, np.ndarray] = {}
    found: dict[str, Any] = {}
    n_bytes = int((units_per_line(held_back, "bytes") + 1).sum())
    for name, tokenizer in tokenizers.items():
        encoded = encode_lines(tokenizer, held_back)
        if round_trip(encoded).value < 1:
            continue
        bits[name] = predicted_bits(encode_lines(tokenizer, lines), encoded)
        measure = bits_per_character(bits[name], held_back)
        values = (measure.value, *(measure.interval or (None, None)))
        found[name] = {
            "bits_per_character": [None if value is None else round(value, 4) for value in values],
            "bits_per_byte": round(float(bits[name].sum()) / n_bytes, 5),
            "tokens": encoded.n_tokens,
        }
    for name, one in bits.items():
        found[name]["change"] = change(bits[first], one)
    return found
