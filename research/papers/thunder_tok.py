"""Thunder-Tok's Tables 2, 3, 4 (training tokens), 5, 12 and Figures 1, 2, at several sizes on other Korean.

The models with 32,000 tokens are the shipped ones; the others are trained on the same lines.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from engine.config import TrainingSettings, defaults_of
from engine.evidence.claims import GREETING, SENTENCE
from engine.measure.encoded import EncodedLines, encode_lines
from engine.measure.intrinsic import fertility
from engine.measure.result import bootstrap_ratio, ratio
from engine.measure.words import find_words
from engine.shipped.load import load_shipped
from engine.tokenizer import Tokenizer
from engine.training import train
from engine.unigram.model.levels import is_multi_word, is_punctuated_word, level_of
from research.evidence.texts import fingerprint
from research.papers.texts import pieces_of, read_korean

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
_ABLATED = (8000, 32_000, 128_000)


def corpus(folder: Path) -> dict[str, str]:
    """Fingerprints of the texts."""
    texts = read_korean(folder)
    return {"training": fingerprint(texts.training)} | {n: fingerprint(own) for n, own in texts.held_back.items()}


def settings() -> dict[str, Any]:
    """Sizes, tokenizers and cells."""
    return {
        "sizes": list(SIZES),
        "tokenizers": {name: list(parts[:2]) for name, parts in TOKENIZERS.items()},
        "cells": {name: list(parts) for name, parts in CELLS.items()},
        "shipped": {name: parts[2] for name, parts in TOKENIZERS.items()},
    }


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """All figures so far, after each size."""
    texts = read_korean(folder)
    found: dict[str, Any] = {"sizes": {}, "ablation": {}}
    for size in SIZES:
        tokenizers = {name: _tokenizer(name, size, texts.training) for name in TOKENIZERS}
        found["sizes"][str(size)] = {
            **segmentations(tokenizers),
            "vocabulary": vocabularies(tokenizers),
            **fertilities(tokenizers, texts.held_back),
        }
        yield found
    for size in _ABLATED:
        cells = {name: _cell(name, size, texts.training) for name in CELLS}
        found["ablation"][str(size)] = fertilities(cells, texts.held_back)
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
    """Tokens per word of each tokenizer on each text with intervals, [value, low, high]; their means over the texts;
    and the last tokenizer's change from every other in percent, for the means and by text."""
    encoded = {
        name: {text: encode_lines(tokenizer, lines) for text, lines in texts.items()}
        for name, tokenizer in tokenizers.items()
    }
    *others, last = tokenizers
    rows = {name: {text: _fertility(one) for text, one in own.items()} for name, own in encoded.items()}
    means = {name: sum(value for value, _, _ in row.values()) / len(row) for name, row in rows.items()}
    return {
        "fertility": rows,
        "mean": {name: round(value, 4) for name, value in means.items()},
        "mean_change": {name: round(100 * (means[last] / means[name] - 1), 2) for name in others},
        "change": {n: {text: change(encoded[last][text], one) for text, one in encoded[n].items()} for n in others},
    }


def _fertility(encoded: EncodedLines) -> list[float]:
    measure = fertility(encoded, find_words(encoded.seen))
    assert measure.interval is not None
    return [round(value, 4) for value in (measure.value, *measure.interval)]


def change(encoded: EncodedLines, base: EncodedLines) -> list[float]:
    """Change in the number of tokens from `base`, percent, with its interval over lines: [value, low, high]."""
    interval = bootstrap_ratio(encoded.per_line, base.per_line)
    assert interval is not None
    return [round(100 * (value - 1), 2) for value in (ratio(encoded.n_tokens, base.n_tokens), *interval)]


def vocabularies(tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """Forms of Thunder-Tok's tokens (Table 1, Figure 1), and the overlap of the vocabularies (Figure 2)."""
    sets = {
        name: {data for token in range(one.vocab_size) if (data := one.token_bytes(token))}
        for name, one in tokenizers.items()
    }
    ours = sets["Thunder-Tok"]
    n_multi = sum(map(is_multi_word, ours))
    n_punctuated = sum(is_punctuated_word(token) and not is_multi_word(token) for token in ours)
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
        "multi_word": n_multi,
        "punctuated": n_punctuated,
        "special_percent": round(100 * (n_multi + n_punctuated) / len(ours), 2),
        "regions": regions,
        "shared": {name: len(ours & sets[name]) for name in names[1:]},
    }


def _is_ill_formed(token: bytes) -> bool:
    """Neither one byte nor whole characters (Table 1): bytes inside a character, or a character and part of another."""
    return level_of(token) == "byte" and len(token) > 1
