"""Findings on the shipped models beyond the papers: which part saves tokens, and the distance from the floor."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import floor
from engine.measure.words import find_words
from engine.shipped.load import load_shipped
from research.evidence.texts import fingerprint
from research.papers.texts import read_korean
from research.papers.thunder_tok import change

# From one model to another: the change is the finding.
FINDINGS = {
    "pretokens": ("byte-bpe-32k", "byte-bpe-thunder-tok-32k"),
    "bpe_inside": ("thunder-tok-32k", "byte-bpe-thunder-tok-32k"),
    "joined": ("thunder-tok-32k", "thunder-tok-joined-32k"),
    "fewest": ("byte-bpe-32k", "fewest-tokens-32k"),
}
_FLOORS = ("thunder-tok-32k", "fewest-tokens-32k", "byte-bpe-32k", "byte-bpe-thunder-tok-32k")


def corpus(folder: Path) -> dict[str, str]:
    """Fingerprints of the texts."""
    return {name: fingerprint(lines) for name, lines in read_korean(folder).held_back.items()}


def settings() -> dict[str, Any]:
    """The models."""
    return {"findings": {name: list(pair) for name, pair in FINDINGS.items()}, "vocab_size": 32_000}


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """`findings`: change in percent by text, [value, low, high]; `above_floor`: percent of tokens beyond the fewest
    that the vocabulary allows, on the held-back lines."""
    texts = read_korean(folder).held_back
    yield {"findings": findings(texts), "above_floor": _above_floor(texts["held back"])}


def findings(texts: Mapping[str, list[str]]) -> dict[str, dict[str, list[float]]]:
    """All of FINDINGS by text."""
    names = {name for pair in FINDINGS.values() for name in pair}
    encoded = {
        name: {text: encode_lines(tokenizer, lines) for text, lines in texts.items()}
        for name, tokenizer in ((name, load_shipped(name)) for name in sorted(names))
    }
    return {
        finding: {text: change(encoded[after][text], encoded[before][text]) for text in texts}
        for finding, (before, after) in FINDINGS.items()
    }


def _above_floor(lines: list[str]) -> dict[str, list[float]]:
    found = {}
    for name in _FLOORS:
        encoded = encode_lines(load_shipped(name), lines)
        least = floor(encoded, find_words(encoded.seen))
        assert least is not None and least.above.interval is not None  # every byte is a token in each model
        found[name] = [round(100 * value, 3) for value in (least.above.value, *least.above.interval)]
    return found
