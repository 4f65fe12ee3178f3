"""Linguistic against right-branching seed vocabulary, by amount of text.

Vocabularies that differ only in their seed are trained on one text and encode five others, which are outside each
training text: tokens a word, and the paired change with a bootstrap interval over lines.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.config import LINGUISTIC_SEEDS, TrainingSettings
from engine.corpus.reading.read import read_lines
from engine.measure.encoded import encode_lines
from engine.measure.words import find_words
from engine.training import train
from research.evidence.ablation import ALL, change
from research.evidence.texts import STEP_OF, EvidenceTexts, fingerprint

SIZES = {
    "50 kB": (1000, 2000),
    "180 kB": (2000, 4000),
    "1 MB": (4000, 8000),
    "3 MB": (8000, 32_000),
    "12 MB": (32_000,),
}
"""Vocabulary sizes by amount of text."""
_FORMAL_LINES = {"50 kB": 560, "180 kB": 2000}
_OTHERS = {"fiction": "ko_literature.txt", "casual": "ko_klue_casual.txt", "mixed prose": "ko_kaist_raw.txt"}


def _training(texts: EvidenceTexts, amount: str) -> list[str]:
    """The first lines of the formal text, or a part of the mixed registers."""
    if amount in _FORMAL_LINES:
        formal = read_lines(texts.folder / "ko_formal.txt", "utf-8")
        return [line for line in formal if line][: _FORMAL_LINES[amount]]
    return texts.part(STEP_OF[int(amount.split()[0])])


def _others(texts: EvidenceTexts) -> dict[str, list[str]]:
    return {
        "held back": [line for lines in texts.held_back.values() for line in lines],
        "news and encyclopedia": texts.parallel["ko"],
        **{name: read_lines(texts.folder / file, "utf-8") for name, file in _OTHERS.items()},
    }


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    trained_on = {f"training {amount}": fingerprint(_training(texts, amount)) for amount in SIZES}
    return {**trained_on, **{name: fingerprint(lines) for name, lines in _others(texts).items()}}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {"sizes": SIZES, "seeds": list(LINGUISTIC_SEEDS), "interval": "95 % bootstrap over lines"}


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`amounts`: by amount of text and size, `tokens_per_word` of the five texts by seed, and their `change`.

    The change is in percent, from the linguistic to the right-branching seed, [value, low, high].
    """
    others = _others(texts)
    others[ALL] = [line for lines in others.values() for line in lines]
    words = {name: int(find_words(lines).per_line.sum()) for name, lines in others.items()}
    amounts = dict(earlier.get("amounts", {}))
    for amount, size in ((amount, size) for amount, sizes in SIZES.items() for size in sizes):
        cells = amounts.setdefault(amount, {})
        if str(size) in cells:
            continue
        tokens = {}
        for seed in LINGUISTIC_SEEDS:
            chosen = replace(TrainingSettings(), vocab_size=size, seed_vocabulary=seed)
            model = train(_training(texts, amount), chosen)
            tokens[seed] = {name: encode_lines(model, lines).per_line for name, lines in others.items()}
        before, after = (tokens[seed] for seed in LINGUISTIC_SEEDS)
        cells[str(size)] = {
            "tokens_per_word": {
                seed: {name: round(float(own[name].sum()) / words[name], 3) for name in others}
                for seed, own in tokens.items()
            },
            "change": {name: change(before[name], after[name]) for name in others},
        }
        yield {"amounts": amounts}
