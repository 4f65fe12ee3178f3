"""Thunder-Tok's Tables 2, 3, 4 (training tokens), 5, 12 and Figures 1, 2, at several sizes on other Korean.

The models with 32,000 tokens are the shipped ones; the others are trained on the same lines.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from engine.config import TrainingSettings, defaults_of
from engine.evidence.claims import GREETING, SENTENCE
from engine.measure.encoded import encode_lines
from engine.shipped.catalogue import load_shipped
from engine.tokenizer import Tokenizer
from engine.training import train
from engine.unigram.model.levels import is_multi_word, is_punctuated_word, level_of
from research.evidence.paired import Drawn, change, differences, drawn_ratios, tokens_and_words, with_interval
from research.evidence.texts import EvidenceTexts, fingerprint, pieces_of

SIZES = (2000, 32_000, 128_000)
_SHIPPED = 32_000
TOKENIZERS = {
    "BPE": ("byte-bpe", "gpt2", "byte-bpe-32k"),
    "Unigram": ("unigram", "gpt2", "unigram-32k"),
    "BPE-Mecab": ("byte-bpe", "mecab", "bpe-mecab-32k"),
    "Thunder-Tok": ("thunder-tok", "thunder-tok", "thunder-tok-32k"),
}
# Table 5: pre-tokenizer, seed vocabulary, score.
CELLS = {
    "GPT2, n-grams, BE": ("gpt2", "ngrams", "be_p"),
    "Thunder-Tok, n-grams, BE": ("thunder-tok", "ngrams", "be_p"),
    "Thunder-Tok, linguistic, ML": ("thunder-tok", "linguistic", "ml"),
    "Thunder-Tok, linguistic, BE": ("thunder-tok", "linguistic", "be_p"),
}


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    held_out = {name: fingerprint(lines) for name, lines in texts.of_table_3().items()}
    return {"training": fingerprint(texts.part(1))} | held_out


def settings() -> dict[str, Any]:
    """Sizes, tokenizers and cells."""
    return {
        "sizes": list(SIZES),
        "tokenizers": {name: list(parts[:2]) for name, parts in TOKENIZERS.items()},
        "cells": {name: list(parts) for name, parts in CELLS.items()},
        "shipped": {name: parts[2] for name, parts in TOKENIZERS.items()},
    }


def figures(texts: EvidenceTexts, _: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All figures so far, after each step. The last of the four cells is Thunder-Tok itself."""
    training, held_out = texts.part(1), texts.of_table_3()
    found: dict[str, Any] = {"sizes": {}, "ablation": {}}
    for size in SIZES:
        tokenizers = {name: _tokenizer(name, size, training) for name in TOKENIZERS}
        found["sizes"][str(size)] = {
            **segmentations(tokenizers),
            "vocabulary": vocabularies(tokenizers),
            **fertilities(tokenizers, held_out),
        }
        yield found
        *others, last = CELLS
        cells = {name: _cell(name, size, training) for name in others}
        own = fertilities({**cells, last: tokenizers["Thunder-Tok"]}, held_out)
        del own["mean_change"]
        found["ablation"][str(size)] = own | {"difference": {"mean": own["difference"]["mean"]}}
        yield found


def _tokenizer(name: str, size: int, lines: Sequence[str]) -> Tokenizer:
    algorithm, pretokenizer, shipped = TOKENIZERS[name]
    if size == _SHIPPED:
        return load_shipped(shipped)
    return train(lines, dataclasses.replace(defaults_of(algorithm), vocab_size=size, pretokenizer=pretokenizer))


def _cell(name: str, size: int, lines: Sequence[str]) -> Tokenizer:
    pretokenizer, seed, score = CELLS[name]
    settings = TrainingSettings(vocab_size=size, pretokenizer=pretokenizer, seed_vocabulary=seed, score=score)
    return train(lines, settings)


def segmentations(tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """The tokens of SENTENCE and of GREETING, parts of characters as bytes, and their number."""
    found: dict[str, Any] = {}
    for what, text in (("sentence", SENTENCE), ("greeting", GREETING)):
        found[what] = {name: pieces_of(tokenizer, text) for name, tokenizer in tokenizers.items()}
        found[f"{what}_tokens"] = {name: len(tokens) for name, tokens in found[what].items()}
    return found


def fertilities(tokenizers: Mapping[str, Tokenizer], texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """All are [value, low, high].

    `fertility`: tokens per word of each tokenizer on each text; `mean`: over the texts. `difference`: between every two
    tokenizers, of the means and by text. `mean_change`: of the last one's mean from every other's, in percent.
    """
    drawn = {text: _drawn(tokenizers, lines, seed) for seed, (text, lines) in enumerate(texts.items())}
    mean = {name: np.mean([of[name] for of in drawn.values()], axis=0) for name in tokenizers}
    *others, last = tokenizers
    return {
        "fertility": {name: {text: with_interval(of[name]) for text, of in drawn.items()} for name in tokenizers},
        "mean": {name: with_interval(one) for name, one in mean.items()},
        "mean_change": {name: change(mean[last], mean[name]) for name in others},
        "difference": {what: differences(of) for what, of in {"mean": mean, **drawn}.items()},
    }


def _drawn(tokenizers: Mapping[str, Tokenizer], lines: Sequence[str], seed: int) -> dict[str, Drawn]:
    sums = tokens_and_words(encode_lines(tokenizer, lines) for tokenizer in tokenizers.values())
    return drawn_ratios(dict(zip(tokenizers, sums, strict=True)), seed)


def vocabularies(tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """Forms of Thunder-Tok's tokens (Table 1, Figure 1), and the overlap of the vocabularies (Figure 2)."""
    sets = {
        name: {data for token in range(one.vocab_size) if (data := one.token_bytes(token))}
        for name, one in tokenizers.items()
    }
    ours = sets["Thunder-Tok"]
    n_special = sum(is_multi_word(token) or is_punctuated_word(token) for token in ours)
    names = ("Thunder-Tok", "BPE", "Unigram")
    regions = {}
    for size in range(1, len(names) + 1):
        for members in combinations(names, size):
            others = set().union(*(sets[name] for name in names if name not in members))
            regions[" & ".join(members)] = len(set.intersection(*(sets[name] for name in members)) - others)
    return {
        "levels": {
            level: sum(level_of(token) == level for token in ours) for level in ("byte", "character", "word", "phrase")
        },
        "ill_formed": sum(_is_ill_formed(token) for token in ours),
        "special_percent": round(100 * n_special / len(ours), 2),
        "regions": regions,
        "shared": {name: len(ours & sets[name]) for name in names[1:]},
    }


def _is_ill_formed(token: bytes) -> bool:
    """Neither one byte nor whole characters (Table 1): bytes inside a character, or a character and part of another."""
    return level_of(token) == "byte" and len(token) > 1
