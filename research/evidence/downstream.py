"""Does a tokenizer with fewer tokens make a better language model? Small transformers over five tokenizers.

Table 4 of the Thunder-Tok paper asks this with models too large to train here. Instead, all tokenizers have the same
size and all models the same shape; each reads the same bytes once and is scored on held-back lines in bits per byte,
which do not depend on the segmentation. A line end is one more id, and a byte of the text.

The context is as many tokens as take up CONTEXT bytes on average, and a step has a fixed number of such windows. So
after any number of steps all models have read the same bytes: one run is matched by step and by byte at once.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from engine.config import TrainingSettings, defaults_of
from engine.tokenizer import Tokenizer
from engine.training import train
from research.evidence.forced_choice import choices, is_right, sentences
from research.evidence.texts import STEP_OF, EvidenceTexts, fingerprint

VOCAB_SIZE = 8000
# Every k-th training line is for the tokenizers; of the lines that no model reads, every k-th is for development.
TOKENIZER_STEP, DEVELOPMENT_STEP = 4, 100
CONTEXT = 512  # bytes
RATES = (0.00075, 0.0015, 0.003)
_FIRST_SEED = 0
FIRST = "byte-bpe"
# Student's t at 97.5 % by number of seeds, for a mean of paired differences.
_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}


def _of(algorithm: str, pretokenizer: str) -> TrainingSettings:
    return replace(defaults_of(algorithm), pretokenizer=pretokenizer, vocab_size=VOCAB_SIZE)


TOKENIZERS = {
    "thunder-tok": _of("thunder-tok", "thunder-tok"),
    "byte-bpe": _of("byte-bpe", "gpt2"),
    "unigram": _of("unigram", "gpt2"),
    "bpe-mecab": _of("byte-bpe", "mecab"),
    "byte-bpe-thunder-tok": _of("byte-bpe", "thunder-tok"),
}
# Megabytes, tokenizers and seeds, in order; a tokenizer's rate is the best for the first seed on development lines.
_PAIR, _OTHERS = tuple(TOKENIZERS)[:2], tuple(TOKENIZERS)[2:]
ROUNDS = (
    (1, _PAIR, (0, 1, 2)),
    (1, _OTHERS, (0, 1, 2)),
    (12, _PAIR, (0, 1, 2)),
    (12, _OTHERS, (0, 1, 2)),
    (12, _PAIR, (3, 4)),
    (12, _OTHERS, (3, 4)),
)
MEGABYTES = tuple(dict.fromkeys(megabytes for megabytes, _, _ in ROUNDS))


class TransformerRun(NamedTuple):
    """One model to train."""

    megabytes: int
    tokenizer: str
    rate: float
    seed: int


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {
        "tokenizers": fingerprint(texts.part(TOKENIZER_STEP)),
        "models": fingerprint(texts.part(STEP_OF[max(MEGABYTES)])),
        "development": fingerprint(_development(texts)),
        "held_back": fingerprint(texts.every_held_back),
        "choices": fingerprint(sentences(choices())),
    }


def settings() -> dict[str, Any]:
    """Settings common to all runs."""
    import torch

    from research.evidence.transformer import Shape, TransformerDecoder

    shape = Shape(length=1)
    return {
        "vocab_size": VOCAB_SIZE,
        "tokenizer_step": TOKENIZER_STEP,
        "development_step": DEVELOPMENT_STEP,
        "context_bytes": CONTEXT,
        **{name: value for name, value in shape._asdict().items() if name != "length"},
        "rates": list(RATES),
        "parameters_without_tables": TransformerDecoder(VOCAB_SIZE + 1, shape).n_parameters,
        "against": FIRST,
        "interval": "95 % t interval over paired seeds",
        "torch": torch.__version__.split("+")[0],
        "threads": 1,
    }


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Train and measure, one run after the other; yields the results so far.

    A run has the fields of `TransformerRun`, `context_tokens`, `training_bytes`, `training_tokens`, `training_seconds`
    (processor time), `held_back_tokens`, `development` (bits per byte of these lines), `bits_per_byte` of the held-back
    lines, and `choices` (share of right ones by kind). `summary` is by megabytes and tokenizer.

    Parameters
    ----------
    earlier : figures of an interrupted series, which is resumed.
    """
    runs: list[dict[str, Any]] = list(earlier.get("runs", ()))
    tokenizers: dict[str, Tokenizer] = {}
    while (following := _next_run(runs)) is not None:
        if following.tokenizer not in tokenizers:
            tokenizers[following.tokenizer] = train(texts.part(TOKENIZER_STEP), TOKENIZERS[following.tokenizer])
        runs.append({**following._asdict(), **_trained(tokenizers[following.tokenizer], texts, following)})
        yield {"runs": runs, "summary": summary(runs)}


def _next_run(runs: Sequence[Mapping[str, Any]]) -> TransformerRun | None:
    """The first run that is missing: all rates for the first seed, then each tokenizer's best rate, seed by seed."""
    known = {TransformerRun(*(run[field] for field in TransformerRun._fields)) for run in runs}
    for megabytes, names, seeds in ROUNDS:
        for seed in seeds:
            for name in names:
                rates = RATES if seed == _FIRST_SEED else (best_rate(runs, megabytes, name),)
                for rate in rates:
                    if (run := TransformerRun(megabytes, name, rate, seed)) not in known:
                        return run
    return None


def best_rate(runs: Sequence[Mapping[str, Any]], megabytes: int, tokenizer: str) -> float:
    """The learning rate with the fewest bits on development lines, for the first seed."""
    first = megabytes, tokenizer, _FIRST_SEED
    tried = [run for run in runs if (run["megabytes"], run["tokenizer"], run["seed"]) == first]
    return float(min(tried, key=lambda run: run["development"])["rate"])


def _trained(tokenizer: Tokenizer, texts: EvidenceTexts, run: TransformerRun) -> dict[str, Any]:
    from research.evidence.transformer import Shape, nats, trained

    lines = texts.part(STEP_OF[run.megabytes])
    # Shuffled: in register order, the model would know the last register best.
    order = np.random.default_rng(run.seed).permutation(len(lines))
    ids = _stream(tokenizer, [lines[i] for i in order])
    n_bytes = _n_bytes(lines)
    shape = Shape(length=round(CONTEXT * ids.size / n_bytes))
    began = time.process_time()
    model = trained(ids, tokenizer.vocab_size + 1, shape, n_bytes // CONTEXT, run.rate, run.seed)
    seconds = time.process_time() - began

    def bits(text: Sequence[str]) -> float:
        return float(nats(model, _stream(tokenizer, text), shape.length).sum() / np.log(2))

    held_back = texts.every_held_back
    development = _development(texts)
    items = choices()
    right = is_right(np.array([bits([sentence]) for sentence in sentences(items)]))
    kinds = np.array([item.kind for item in items])
    return {
        "context_tokens": shape.length,
        "training_bytes": n_bytes,
        "training_tokens": int(ids.size - 1),
        "training_seconds": round(seconds, 1),
        "held_back_tokens": int(_stream(tokenizer, held_back).size - 1),
        "development": round(bits(development) / _n_bytes(development), 5),
        "bits_per_byte": round(bits(held_back) / _n_bytes(held_back), 5),
        "choices": {kind: round(float(right[kinds == kind].mean()), 4) for kind in dict.fromkeys(kinds.tolist())},
    }


def _development(texts: EvidenceTexts) -> list[str]:
    """Lines that neither models nor tokenizers read, to choose learning rates on."""
    return [
        line for lines in texts.training.values() for line in lines[1 :: STEP_OF[max(MEGABYTES)]][::DEVELOPMENT_STEP]
    ]


def _stream(tokenizer: Tokenizer, lines: Sequence[str]) -> np.ndarray:
    """Ids (int64) of the lines, with a line end before the first and after each."""
    batch = tokenizer.encode_lines(lines)
    line_end = tokenizer.vocab_size
    return np.insert(batch.ids.astype(np.int64), batch.line_ptr, line_end)


def _n_bytes(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """By megabytes and tokenizer, at its best rate: `rate`, `seeds`, the mean of `bits_per_byte` and of `choices`,
    tokens of the texts, and `change` in percent from FIRST, paired by seed: [value, low, high].

    A tokenizer is left out until all rates have been tried.
    """
    result: dict[str, dict[str, dict[str, Any]]] = {}
    for megabytes in dict.fromkeys(run["megabytes"] for run in runs):
        bits: dict[str, dict[int, float]] = {}
        for name in TOKENIZERS:
            own = [run for run in runs if (run["megabytes"], run["tokenizer"]) == (megabytes, name)]
            if {run["rate"] for run in own} != set(RATES):
                continue
            rate = best_rate(runs, megabytes, name)
            own = [run for run in own if run["rate"] == rate]
            bits[name] = {run["seed"]: run["bits_per_byte"] for run in own}
            result.setdefault(str(megabytes), {})[name] = {
                "rate": rate,
                "seeds": len(own),
                "bits_per_byte": round(float(np.mean(list(bits[name].values()))), 5),
                "choices": round(float(np.mean([list(run["choices"].values()) for run in own])), 4),
                "training_tokens": own[0]["training_tokens"],
                "held_back_tokens": own[0]["held_back_tokens"],
            }
        for name in bits:
            seeds = bits[name].keys() & bits.get(FIRST, {}).keys()
            ratios = [bits[name][seed] / bits[FIRST][seed] for seed in sorted(seeds)]
            if ratios:
                result[str(megabytes)][name]["change"] = _mean_change(ratios)
    return result


def _mean_change(ratios: Sequence[float]) -> list[float | None]:
    """The mean of ratios as a change in percent: [value, low, high]; a single one has no interval."""
    changes = 100 * (np.array(ratios) - 1)
    if changes.size < 2:
        return [round(float(changes[0]), 2) + 0.0, None, None]  # no negative zero
    half = _T[changes.size] * changes.std(ddof=1) / np.sqrt(changes.size)
    return [round(float(value), 2) for value in (changes.mean(), changes.mean() - half, changes.mean() + half)]
