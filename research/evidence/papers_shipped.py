"""Findings on the shipped models beyond the papers: which part saves tokens, the distance from the floor, morphemes."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus.reading.read import read_lines
from engine.measure.encoded import encode_lines
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import GoldSentence, read_gold
from engine.measure.morphemes.morphology import morphology_scores
from engine.measure.result import RESAMPLES
from engine.shipped.catalogue import load_shipped
from research.evidence.paired import Drawn, change, differences, drawn_ratios, tokens_and_words, with_interval
from research.evidence.texts import TABLE_3, EvidenceTexts, fingerprint

# From one model to another: the change is the finding.
FINDINGS = {
    "pretokens": ("byte-bpe-32k", "byte-bpe-thunder-tok-32k"),
    "bpe_inside": ("thunder-tok-32k", "byte-bpe-thunder-tok-32k"),
    "joined": ("thunder-tok-32k", "thunder-tok-joined-32k"),
    "fewest": ("byte-bpe-32k", "fewest-tokens-32k"),
}
_COMPARED = ("thunder-tok-32k", "fewest-tokens-32k", "byte-bpe-32k", "byte-bpe-thunder-tok-32k")
# A mark that is a pre-token of its own after a word in GPT-2's pattern, and so a token of BPE.
_MARK = re.compile(r"(?<=[^\W\d_])[.?!](?=[\s\w]|$)")
_GOLD = Path(__file__).resolve().parents[2] / "assets" / "gold" / "ko_morphemes.tsv"


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    golds = {name: fingerprint([one.text for one in gold]) for name, gold in _golds(texts.folder).items()}
    return {name: fingerprint(lines) for name, lines in texts.of_table_3().items()} | golds


def settings() -> dict[str, Any]:
    """The models."""
    return {"findings": {name: list(pair) for name, pair in FINDINGS.items()}, "vocab_size": 32_000}


_CONTRAST = ("대한민", "대한민국")


def figures(texts: EvidenceTexts, _: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`findings`: change in percent by text. `above_floor`: percent of tokens beyond the fewest that the vocabulary
    allows, on the held-back lines. `morphology`: F1 of boundaries, by gold text. `floor_difference` and
    `morphology_difference`: between every two models. `contrast`: entropy (bits) of the character after a string in the
    training text, and the difference. `gain`: Thunder-Tok's change from BPE, and the share of BPE's tokens that are a
    mark after a word, in percent by text; `gain_by_marks`: their correlation. All are [value, low, high]."""
    held_out = texts.of_table_3()
    entropies = {string: _right_entropy(texts.part(1), string) for string in _CONTRAST}
    floors = _floors(held_out["held back"])
    scores = {name: _morphology(gold) for name, gold in _golds(texts.folder).items()}
    plain = {name: read_lines(texts.folder / file, "utf-8") for name, (file, _) in TABLE_3.items() if file}
    drawn = {name: gain_and_marks(lines) for name, lines in (texts.held_back | plain).items()}
    pairs = zip(*(np.array([of[what] for of in drawn.values()]).T for what in ("gain", "marks")), strict=True)
    yield {
        "findings": findings(held_out),
        "gain": {text: {what: with_interval(one, 2) for what, one in of.items()} for text, of in drawn.items()},
        "gain_by_marks": with_interval(np.array([np.corrcoef(*pair)[0, 1] for pair in pairs]), 3),
        "above_floor": {name: with_interval(one, 3) for name, one in floors.items()},
        "floor_difference": differences(floors, 3),
        "morphology": {gold: {name: with_interval(one) for name, one in own.items()} for gold, own in scores.items()},
        "morphology_difference": {gold: differences(own) for gold, own in scores.items()},
        "contrast": {string: with_interval(one, 3) for string, one in entropies.items()},
        "contrast_difference": differences(entropies, 3),
    }


def findings(texts: Mapping[str, list[str]]) -> dict[str, dict[str, list[float]]]:
    """All of FINDINGS by text."""
    models = {name: load_shipped(name) for name in sorted({name for pair in FINDINGS.values() for name in pair})}
    drawn = {}
    for text, lines in texts.items():
        sums = tokens_and_words(encode_lines(tokenizer, lines) for tokenizer in models.values())
        drawn[text] = drawn_ratios(dict(zip(models, sums, strict=True)))
    return {
        finding: {text: change(of[after], of[before]) for text, of in drawn.items()}
        for finding, (before, after) in FINDINGS.items()
    }


def gain_and_marks(lines: list[str]) -> dict[str, Drawn]:
    """Thunder-Tok's change from BPE and the share of BPE's tokens that are a mark after a word, in percent."""
    bpe, thunder_tok = (
        encode_lines(load_shipped(name), lines).per_line for name in ("byte-bpe-32k", "thunder-tok-32k")
    )
    marks = [len(_MARK.findall(line)) for line in lines]
    changes = {"gain": thunder_tok - bpe, "marks": np.array(marks)}
    return drawn_ratios({what: np.column_stack([100 * one, bpe]) for what, one in changes.items()})


def _floors(lines: list[str]) -> dict[str, Drawn]:
    sums = {}
    for name in _COMPARED:
        encoded = encode_lines(load_shipped(name), lines)
        fewest = encoded.tokenizer.fewest_tokens(encoded.seen)
        assert fewest is not None  # every byte is a token in each model
        sums[name] = np.column_stack([100 * (encoded.per_line - fewest), fewest])
    return drawn_ratios(sums)


def _golds(folder: Path) -> dict[str, list[GoldSentence]]:
    return {"built-in": read_gold(_GOLD), "Kaist": read_gold(folder / "ko_kaist_morph.tsv")}


def _morphology(gold: list[GoldSentence]) -> dict[str, Drawn]:
    analysis = gold_analysis(gold)
    scores = {name: morphology_scores(load_shipped(name), analysis, has_parts=False) for name in _COMPARED}
    return drawn_ratios({name: one.f1_sums for name, one in scores.items()})


def _right_entropy(lines: list[str], string: str) -> Drawn:
    """Entropy of what follows a string, and under draws of its occurrences; the end of a line counts as a character."""
    followers = Counter(found[1] for line in lines for found in re.finditer(f"(?={string}(.?))", line))
    counts = np.array(list(followers.values()))
    draws = np.random.default_rng(0).multinomial(counts.sum(), counts / counts.sum(), RESAMPLES)
    share = np.vstack([counts, draws]) / counts.sum()
    return -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=1)
