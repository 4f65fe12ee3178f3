"""Entropy-driven pre-tokenization: Table 1 and the curves, on 500 sentences of UD Chinese-GSDSimp, not on PKU."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.boundaries.language_model import DEFAULT_ORDER, DEFAULT_RULE, CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, Terms, UtilityMatcher
from engine.corpus.reading.read import read_lines
from engine.evidence.claims import printed
from engine.measure.result import RESAMPLES
from engine.segmentation.scoring import read_gold, score_segmentation
from engine.segmentation.segmenter import Cutter, bpe_words, pieces, train_inside
from research.evidence.paired import with_interval
from research.evidence.texts import EvidenceTexts, fingerprint

_SIZE = 12_000
_TESTED = (2, 5, 8)  # of ten lines
_LAMBDAS = (0.0, 1.0, 2.0, 3.0, 4.0, 15.0, math.inf)
_WORST = -1e9  # less than any PMI


class ScoredGold(NamedTuple):
    """Words of every line, of the scored lines (three of ten), and the training text."""

    words: list[list[str]]
    test: list[list[str]]
    train: list[str]


def corpus(texts: EvidenceTexts) -> dict[str, str]:
    """Fingerprint of the text."""
    return {"ud": fingerprint([" ".join(words) for words in read_ud(texts.folder).words])}


def settings() -> dict[str, Any]:
    """The paper's open conventions, as used unless a figure says otherwise."""
    return {
        "vocab_size": _SIZE,
        "n_max": 6,
        "total": DEFAULT_TOTAL,
        "edges": True,
        "order": DEFAULT_ORDER,
        "rule": DEFAULT_RULE,
        "test": "3 of 10 lines",
    }


def figures(texts: EvidenceTexts, _: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Scores by convention, the distributions of Figure 2, and the sentence of Figure 5."""
    yield {"ud": gold_figures(read_ud(texts.folder))}


def read_ud(folder: Path) -> ScoredGold:
    """Split as on the page Boundaries."""
    words = read_gold(read_lines(folder / "zh_gold_public.utf8", "utf-8")).words
    train = ["".join(own) for k, own in enumerate(words) if k % 10 not in _TESTED]
    return ScoredGold(words, [own for k, own in enumerate(words) if k % 10 in _TESTED], train)


def gold_figures(gold: ScoredGold) -> dict[str, Any]:
    """All figures for one gold text; a number with its interval over sentences is [value, low, high]."""
    ngrams = Ngrams(gold.train, 6)
    model = CharacterModel(ngrams, DEFAULT_ORDER)
    usual = {"Baseline": _sums(gold, lambda text: [len(text)])}
    usual["GPT-2"] = _sums(gold, lambda text: entropy_cuts(model.entropies(text)))
    found = {
        convention: usual | {_named(lam): _sums(gold, cutter(lam)) for lam in _LAMBDAS}
        for convention, cutter in _conventions(gold, ngrams).items()
    }
    default = next(iter(found.values()))
    rows = list(printed("entropy", "entropy_table1"))

    def lead(name: str, score: Score) -> dict[str, dict[str, list[float]]]:
        """By convention, the row's lead over each other row of the paper."""
        return {
            convention: {row: _interval(score(own[name]) - score(own[row])) for row in rows if row != name}
            for convention, own in found.items()
        }

    return {
        "table": {row: {title: _interval(score(default[row])) for title, score in _SCORES.items()} for row in rows},
        "conventions": {
            convention: {row: _interval(_f1(sums)) for row, sums in own.items() if row not in usual}
            for convention, own in found.items()
        },
        "lead": {name: lead(name, _f1) for name in ("λ=0", "λ=4")},
        "gain": {
            row: {convention: _interval(_f1(own[row]) - _f1(own["Baseline"])) for convention, own in found.items()}
            for row in rows[1:]
        },
        "recall_lead": lead("GPT-2", _SCORES["R"]),
        "precision_lead": lead("λ=4", _SCORES["P"]),
        "more_pieces": {
            convention: _interval(_pieces(own["λ=15"]) - _pieces(own["λ=0"])) for convention, own in found.items()
        },
        "distributions": _distributions(ngrams),
        "sentence": _sentence(ngrams),
    }


# Of sums over lines: correct words, pieces after BPE, gold words, pieces before BPE.
def _f1(sums: np.ndarray) -> np.ndarray:
    return 200 * sums[:, 0] / (sums[:, 1] + sums[:, 2])


def _pieces(sums: np.ndarray) -> np.ndarray:
    """Pieces a gold word, before BPE."""
    return sums[:, 3] / sums[:, 2]


_interval = partial(with_interval, digits=2)
Score = Callable[[np.ndarray], np.ndarray]
_SCORES: Mapping[str, Score] = {
    "P": lambda sums: 100 * sums[:, 0] / sums[:, 1],
    "R": lambda sums: 100 * sums[:, 0] / sums[:, 2],
    "F1": _f1,
}


def _named(lam: float) -> str:
    """Name of the row in the paper's Table 1."""
    return "Entropy Only" if math.isinf(lam) else f"λ={lam:g}"


def _sums(gold: ScoredGold, cut: Cutter) -> np.ndarray:
    """int64[1 + RESAMPLES, 4]: sums over the lines, and over resamples of them, the same for all methods.

    BPE is confined to the pieces, in training as in testing.
    """
    model = train_inside(gold.train, cut, _SIZE)
    rows = []
    for words in gold.test:
        text = "".join(words)
        ends = cut(text)
        found = bpe_words(model, text, ends)
        right = round(score_segmentation([words], [found]).recall * len(words))
        rows.append((right, len(found), len(words), len(ends)))
    n = len(rows)
    weights = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    return np.vstack([np.ones_like(weights[:1]), weights]) @ np.array(rows)


def _conventions(gold: ScoredGold, ngrams: Ngrams) -> dict[str, Callable[[float], Cutter]]:
    """The matching by lambda under what the paper leaves open; the first is the default."""
    no_edges = Ngrams(gold.train, 6, False)
    return {
        "T = Σₙ, PMI(c) = 0": lambda lam: UtilityMatcher(ngrams, lam).cut,
        "T = Σ₁, PMI(c) = 0": lambda lam: UtilityMatcher(ngrams, lam, "characters").cut,
        "PMI(c) = −log P(c)": lambda lam: _Matcher(ngrams, lam, True).cut,
        "PMI(c) = −∞": lambda lam: _Matcher(ngrams, lam, False).cut,
        "no edges": lambda lam: UtilityMatcher(no_edges, lam).cut,
    }


class _Matcher(UtilityMatcher):
    """The PMI of one character is its information, or it is the last choice."""

    def __init__(self, ngrams: Ngrams, lam: float, is_informed: bool) -> None:
        super().__init__(ngrams, lam)
        counts = ngrams.levels[0].counts
        self._alone = np.log(ngrams.n_ngrams / counts) if is_informed else np.full(counts.size, _WORST)

    def terms(self, text: str) -> Terms:
        terms = super().terms(text)
        # An unseen character is in no longer candidate: its value does not matter.
        terms.pmi[:, 0] = self._alone[self.ngrams.numbers(text)[0]]
        return terms


def _distributions(ngrams: Ngrams) -> dict[str, Any]:
    """Figure 2 in numbers: the most frequent PMI of pairs (bits), and the share of zero entropies (percent)."""
    pairs, single = ngrams.levels[1], ngrams.levels[0]
    first, last = pairs.keys // ngrams.n_symbols, np.searchsorted(single.keys, pairs.keys % ngrams.n_symbols)
    bits = np.log2(pairs.counts * (ngrams.n_ngrams / (single.counts[first] * single.counts[last])))
    counts, edges = np.histogram(bits, bins=np.arange(math.floor(bits.min()), math.ceil(bits.max()) + 1))
    peak = int(edges[counts.argmax()])
    zero = {
        side: np.concatenate([getattr(level, f"{side}_entropy") for level in ngrams.levels]) < 1e-9
        for side in ("left", "right")
    }
    return {
        "pmi_peak_bits": [peak, peak + 1],
        "zero_percent": {side: round(100 * float(share.mean()), 1) for side, share in zero.items()},
    }


def _sentence(ngrams: Ngrams) -> dict[str, Any]:
    """The sentence of Figure 5: entropy before every character (bits), and our cuts."""
    text = "".join(printed("entropy", "figure5_cuts"))
    entropies = CharacterModel(ngrams, DEFAULT_ORDER).entropies(text)
    return {
        "bits": [round(value / math.log(2), 3) for value in entropies.tolist()],
        "pieces": pieces(text, entropy_cuts(entropies, DEFAULT_RULE)),
    }
