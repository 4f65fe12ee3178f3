"""Does a tokenizer with fewer tokens make a better language model? Small transformers over five tokenizers.

Table 4 of the Thunder-Tok paper asks this with models too large to train here. Instead, all tokenizers have the same
size and all models the same shape; each model reads the same bytes of text once and is scored on held-back lines
in bits per byte, which do not depend on the segmentation. A line end is one more id, and a byte of the text.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.config import TrainingSettings, defaults_of
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence.texts import EvidenceTexts, fingerprint

VOCAB_SIZE = 8000
SEEDS = (0, 1, 2)
_T = 4.303  # 97.5 % of Student's t for three seeds
# Every k-th training line: for the tokenizers, and for the models (a subset).
TOKENIZER_STEP, MODEL_STEP = 4, 24


def _of(algorithm: str, pretokenizer: str) -> TrainingSettings:
    return replace(defaults_of(algorithm), pretokenizer=pretokenizer, vocab_size=VOCAB_SIZE)


TOKENIZERS = {
    "thunder-tok": _of("thunder-tok", "thunder-tok"),
    "byte-bpe": _of("byte-bpe", "gpt2"),
    "byte-bpe-thunder-tok": _of("byte-bpe", "thunder-tok"),
    "unigram": _of("unigram", "gpt2"),
    "bpe-mecab": _of("byte-bpe", "mecab"),
}


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {
        "tokenizers": fingerprint(texts.part(TOKENIZER_STEP)),
        "models": fingerprint(texts.part(MODEL_STEP)),
        "held_back": fingerprint([line for lines in texts.held_back.values() for line in lines]),
    }


def settings() -> dict[str, Any]:
    """Settings common to all runs."""
    import torch

    from research.evidence.transformer import Shape, TransformerDecoder

    return {
        "vocab_size": VOCAB_SIZE,
        "seeds": list(SEEDS),
        "tokenizer_step": TOKENIZER_STEP,
        "model_step": MODEL_STEP,
        **Shape()._asdict(),
        "parameters_without_tables": TransformerDecoder(VOCAB_SIZE + 1, Shape()).n_parameters,
        "torch": torch.__version__.split("+")[0],
        "threads": 1,
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Train and measure: all tokenizers with the first seed before any with the second; yields the results so far.

    A run has `tokenizer`, `seed`, `training_bytes`, `training_tokens`, `training_seconds` (processor time),
    `held_back_bytes`, `held_back_tokens`, `bits_per_byte`, and `by_register`, the same by register. `summary` is by
    tokenizer.

    Parameters
    ----------
    earlier : figures of an interrupted series, which is resumed.
    """
    runs: list[dict[str, Any]] = list(earlier.get("runs", ()))
    known = {(run["tokenizer"], run["seed"]) for run in runs}
    tokenizers: dict[str, Tokenizer] = {}
    for seed in SEEDS:
        for name, chosen in TOKENIZERS.items():
            if (name, seed) not in known:
                if name not in tokenizers:
                    tokenizers[name] = train(texts.part(TOKENIZER_STEP), chosen)
                runs.append({"tokenizer": name, "seed": seed, **_run(tokenizers[name], texts, seed)})
                yield {"runs": runs, "summary": _summary(runs)}


def _run(tokenizer: Tokenizer, texts: EvidenceTexts, seed: int) -> dict[str, Any]:
    from research.evidence.transformer import Shape, nats, trained

    shape = Shape()
    lines = texts.part(MODEL_STEP)
    # Shuffled: in register order, the model would know the last register best.
    order = np.random.default_rng(seed).permutation(len(lines))
    ids = _stream(tokenizer, [lines[i] for i in order])
    began = time.process_time()
    model = trained(ids, tokenizer.vocab_size + 1, shape, seed)
    seconds = time.process_time() - began
    bits: dict[str, float] = {}
    sizes: dict[str, int] = {}
    held_back_tokens = 0
    for register, held_back in texts.held_back.items():
        stream = _stream(tokenizer, held_back)
        bits[register] = float(nats(model, stream, shape).sum() / np.log(2))
        sizes[register] = _n_bytes(held_back)
        held_back_tokens += stream.size - 1
    return {
        "training_bytes": _n_bytes(lines),
        "training_tokens": int(ids.size - 1),
        "training_seconds": round(seconds, 1),
        "held_back_bytes": sum(sizes.values()),
        "held_back_tokens": held_back_tokens,
        "bits_per_byte": round(sum(bits.values()) / sum(sizes.values()), 5),
        "by_register": {register: round(bits[register] / sizes[register], 5) for register in bits},
    }


def _stream(tokenizer: Tokenizer, lines: Sequence[str]) -> np.ndarray:
    """Ids (int64) of the lines, with a line end before the first and after each."""
    batch = tokenizer.encode_lines(lines)
    line_end = tokenizer.vocab_size
    return np.insert(batch.ids.astype(np.int64), batch.line_ptr, line_end)


def _n_bytes(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _summary(found: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By tokenizer: `seeds`, mean, lowest and highest bits per byte, `change` in percent from BPE, paired by seed, with
    its t interval, tokens of the texts and tokens per second."""
    result = {}
    for name in TOKENIZERS:
        own = [run for run in found if run["tokenizer"] == name]
        if own:
            bits = [run["bits_per_byte"] for run in own]
            result[name] = {
                "seeds": len(own),
                "bits_per_byte": round(sum(bits) / len(bits), 5),
                "lowest": min(bits),
                "highest": max(bits),
                "change": _change(bits, [run["bits_per_byte"] for run in found if run["tokenizer"] == "byte-bpe"]),
                "training_tokens": own[0]["training_tokens"],
                "held_back_tokens": own[0]["held_back_tokens"],
                "tokens_per_second": round(
                    sum(run["training_tokens"] for run in own) / sum(run["training_seconds"] for run in own)
                ),
                "training_seconds": round(sum(run["training_seconds"] for run in own) / len(own), 1),
            }
    return result


def _change(bits: Sequence[float], base: Sequence[float]) -> list[float]:
    """Mean change in percent over seeds, the same for both: [value, low, high]."""
    changes = 100 * (np.array(bits) / np.array(base) - 1)
    half = _T * changes.std(ddof=1) / np.sqrt(changes.size)
    return [round(float(value), 2) for value in (changes.mean(), changes.mean() - half, changes.mean() + half)]
