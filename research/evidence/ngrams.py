"""What n-gram models of each tokenizer's tokens predict: bits per byte by amount of text and order, and forced choices.

`parts` are of the shipped tokenizers; `downstream` are those of that measurement, on exactly the bytes that its
transformers read. All are scored on the same held-back lines, those that every tokenizer restores.

An order is a context equal in tokens. The order BYTES is a context equal in bytes: CONTEXT bytes are so many tokens of
a tokenizer on average, and a line's bits are interpolated between the two orders around one more than that number.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.measure.encoded import EncodedLines, encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.measure.token_ngrams import TokenModel, token_model
from engine.measure.words import find_words
from engine.shipped.catalogue import load_shipped, shipped_models
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence import downstream
from research.evidence.ablation import change, ratio_with_interval
from research.evidence.forced_choice import choices, is_right, sentences
from research.evidence.texts import STEP_OF, EvidenceTexts, fingerprint

ORDERS = (2, 3, 4, 5)
BYTES, CONTEXT = "bytes", 12
CHOICE_ORDER = 3
FIRST = "byte-bpe-32k"


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {"models": fingerprint(texts.part(STEP_OF[max(STEP_OF)])), **downstream.corpus(texts)}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {
        "orders": list(ORDERS),
        "context_bytes": CONTEXT,
        "choice_order": CHOICE_ORDER,
        "smoothing": "interpolated Kneser-Ney",
        "steps": {str(megabytes): step for megabytes, step in STEP_OF.items()},
        "tokenizer_step": downstream.TOKENIZER_STEP,
        "vocab_size": downstream.VOCAB_SIZE,
        "against": {"parts": FIRST, "downstream": downstream.FIRST},
        "interval": "95 % bootstrap over lines, of choices over items",
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`parts` by megabytes and `downstream` likewise: by order and tokenizer, the result of `_changes`.

    `lines` and their `bytes` are what is scored; `fertility` (tokens per word) and `bytes_per_token` are of these, by
    tokenizer; `choices` by tokenizer are of the models of the largest part.
    """
    found: dict[str, Any] = {**earlier, "parts": dict(earlier.get("parts", {}))}
    found["downstream"] = dict(earlier.get("downstream", {}))
    shipped = {name: load_shipped(name) for name in shipped_models()}
    lines = restored_lines(shipped.values(), texts.every_held_back)
    found |= {"lines": len(lines), "bytes": int(line_sizes(lines).sum())}
    encoded = {name: encode_lines(tokenizer, lines) for name, tokenizer in shipped.items()}
    found["fertility"] = {
        name: ratio_with_interval(one.per_line, find_words(one.seen).per_line) for name, one in encoded.items()
    }
    found["bytes_per_token"] = {name: round(_bytes_per_token(one), 4) for name, one in encoded.items()}
    for megabytes, step in STEP_OF.items():
        if str(megabytes) not in found["parts"]:
            training = texts.part(step)
            bits: dict[str, dict[str, np.ndarray]] = {}
            right: dict[str, np.ndarray] = {}
            for name, tokenizer in shipped.items():
                model = token_model(encode_lines(tokenizer, training), max(ORDERS))
                bits[name] = bits_by_order(model, encoded[name])
                right[name] = _chosen(model, tokenizer)
            found["parts"][str(megabytes)] = _changes(bits, lines, FIRST)
            found["choices"] = _choices(right)
            yield found
    trained: dict[str, Tokenizer] = {}
    for megabytes in downstream.MEGABYTES:
        if str(megabytes) not in found["downstream"]:
            bits = {}
            for name, chosen in downstream.TOKENIZERS.items():
                if name not in trained:
                    trained[name] = train(texts.part(downstream.TOKENIZER_STEP), chosen)
                model = token_model(encode_lines(trained[name], texts.part(STEP_OF[megabytes])))
                held_back = encode_lines(trained[name], lines)
                bits[name] = {str(model.order): model.bits(held_back.ids, held_back.token_ptr)}
            found["downstream"][str(megabytes)] = _changes(bits, lines, downstream.FIRST)
            yield found


def restored_lines(tokenizers: Collection[Tokenizer], lines: Sequence[str]) -> list[str]:
    """The lines that every tokenizer restores from its tokens."""
    return [line for line in lines if all(round_trip(encode_lines(one, [line])).value == 1 for one in tokenizers)]


def line_sizes(lines: Sequence[str]) -> np.ndarray:
    """int64[n_lines]: bytes including the line end."""
    return units_per_line(lines, "bytes") + 1


def _bytes_per_token(encoded: EncodedLines) -> float:
    return float(line_sizes(encoded.lines).sum() / (encoded.n_tokens + len(encoded.lines)))


def bits_by_order(model: TokenModel, held_back: EncodedLines) -> dict[str, np.ndarray]:
    """Bits of every line, by order and for BYTES."""
    found = {order: model.bits(held_back.ids, held_back.token_ptr, order) for order in ORDERS}
    wanted = 1 + CONTEXT / _bytes_per_token(held_back)
    lower = int(wanted)
    share = wanted - lower
    between = (1 - share) * found[lower] + share * found[lower + 1]
    return {**{str(order): bits for order, bits in found.items()}, BYTES: between}


def _changes(bits: Mapping[str, Mapping[str, np.ndarray]], lines: Sequence[str], first: str) -> dict[str, Any]:
    """By order and tokenizer: `bits_per_byte` and `change` in percent from the first over the same lines, both
    [value, low, high]."""
    sizes = line_sizes(lines)
    return {
        order: {
            name: {
                "bits_per_byte": ratio_with_interval(one[order], sizes),
                "change": change(bits[first][order], one[order]),
            }
            for name, one in bits.items()
        }
        for order in bits[first]
    }


def _chosen(model: TokenModel, tokenizer: Tokenizer) -> np.ndarray:
    """bool[n_items]: which forced choices the model gets right."""
    encoded = encode_lines(tokenizer, sentences(choices()))
    return is_right(model.bits(encoded.ids, encoded.token_ptr, CHOICE_ORDER))


def _choices(right: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """By tokenizer: `accuracy` and `change` from FIRST in percentage points, both [value, low, high] over items; and
    the accuracy `by_kind`."""
    kinds = np.array([item.kind for item in choices()])
    ones = np.ones(kinds.size)
    found = {}
    for name, one in right.items():
        more = 100.0 * one - 100.0 * right[FIRST]
        found[name] = {
            "accuracy": ratio_with_interval(one, ones),
            "change": ratio_with_interval(more, ones),
            "by_kind": {kind: round(float(one[kinds == kind].mean()), 4) for kind in dict.fromkeys(kinds.tolist())},
        }
    return found
