"""What the authors' code does otherwise than the paper: one thing at a time, and all, by amount of text.

Vocabularies that differ only in it are trained on one text and encode five others, which are outside each training
text: tokens a word, and the paired change with a bootstrap interval over lines.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.config import chosen_settings
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
    "25 MB": (32_000, 128_000),
}
"""Vocabulary sizes by amount of text."""
VARIANTS = {
    "paper": {},
    "right-branching seed": {"seed_vocabulary": "right-branching"},
    "README's pattern": {"pretokenizer": "thunder-tok-readme"},
    "pre-tokens as contexts": {"context": "pretoken", "membership": "occurrence"},
    "all of it": {"seed_vocabulary": "authors"},
}
_ON_25_MB = ("paper", "right-branching seed")  # the authors' program would need half an hour
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
        "held back": texts.every_held_back,
        "news and encyclopedia": texts.parallel["ko"],
        **{name: read_lines(texts.folder / file, "utf-8") for name, file in _OTHERS.items()},
    }


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprints of the texts."""
    trained_on = {f"training {amount}": fingerprint(_training(texts, amount)) for amount in SIZES}
    return {**trained_on, **{name: fingerprint(lines) for name, lines in _others(texts).items()}}


def settings() -> dict[str, Any]:
    """Settings of the figures."""
    return {"sizes": SIZES, "variants": VARIANTS, "interval": "95 % bootstrap over lines"}


def figures(texts: EvidenceTexts, earlier: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`amounts`: by amount of text and size, `tokens_per_word` of the five texts by variant, and their `change`.

    The change is in percent, from the paper's, [value, low, high].
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
        for variant, changes in VARIANTS.items():
            if amount == "25 MB" and variant not in _ON_25_MB:
                continue
            model = train(_training(texts, amount), chosen_settings("thunder-tok", None, vocab_size=size, **changes))
            tokens[variant] = {name: encode_lines(model, lines).per_line for name, lines in others.items()}
        before, *_ = tokens.values()
        cells[str(size)] = {
            "tokens_per_word": {
                variant: {name: round(float(own[name].sum()) / words[name], 3) for name in others}
                for variant, own in tokens.items()
            },
            "change": {
                variant: {name: change(before[name], own[name]) for name in others}
                for variant, own in list(tokens.items())[1:]
            },
        }
        yield {"amounts": amounts}
