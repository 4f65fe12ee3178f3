"""Entropy-driven pre-tokenization: Table 1 and the curves on Chinese from other sources than PKU; and Thunder-Tok's
example of branching entropy, counted.

`zh_words` is shipped and shown on the page Boundaries; `ud` is 500 sentences of UD Chinese-GSDSimp.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.boundaries.language_model import DEFAULT_ORDER, DEFAULT_RULE, CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import DEFAULT_TOTAL, TOTALS
from engine.corpus.reading.read import read_lines
from engine.evidence.claims import printed
from engine.segmentation.methods import MethodScores, method_scores
from engine.segmentation.scoring import read_gold, score_segmentation
from engine.segmentation.segmenter import bpe_words, learn_boundaries, pieces, train_inside
from research.evidence.texts import fingerprint
from research.papers.texts import read_korean

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
_SIZE = 12_000
_TESTED = (2, 5, 8)  # of ten lines
_CONTRAST = ("대한민", "대한민국")


class ScoredGold(NamedTuple):
    """Words of every line, of the scored lines (three of ten), and the training text."""

    words: list[list[str]]
    test: list[list[str]]
    train: list[str]


def corpus(folder: Path) -> dict[str, str]:
    """Fingerprints of the texts."""
    golds = _golds(folder)
    found = {name: fingerprint([" ".join(words) for words in gold.words]) for name, gold in golds.items()}
    return found | {"ko_mix": fingerprint(read_korean(folder).training)}


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


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """Scores by corpus, the distributions of Figure 2, the sentence of Figure 5, and the contrast."""
    found: dict[str, Any] = {}
    for name, gold in _golds(folder).items():
        found[name] = gold_figures(gold)
    yield found
    lines = read_korean(folder).training
    counted = {string: _right_entropy(lines, string) for string in _CONTRAST}
    found["contrast"] = {
        "count": {string: count for string, (count, _) in counted.items()},
        "right_entropy": {string: entropy for string, (_, entropy) in counted.items()},
    }
    yield found


def _golds(folder: Path) -> dict[str, ScoredGold]:
    return {"zh_words": builtin_gold(), "ud": _gold(read_lines(folder / "zh_gold_public.utf8", "utf-8"))}


def builtin_gold() -> ScoredGold:
    """`zh_words` as on the page Boundaries."""
    more = read_lines(_ASSETS / "corpora" / "multi" / "zh.txt", "utf-8")
    return _gold(read_lines(_ASSETS / "gold" / "zh_words.txt", "utf-8"), more)


def _gold(lines: Sequence[str], more: Sequence[str] = ()) -> ScoredGold:
    """Split as on the page Boundaries."""
    words = read_gold(lines).words
    kept = ["".join(own) for k, own in enumerate(words) if k % 10 not in _TESTED]
    rest = [text for line in more if (text := "".join(line.split()))]
    return ScoredGold(words, [own for k, own in enumerate(words) if k % 10 in _TESTED], kept + rest)


def gold_figures(gold: ScoredGold) -> dict[str, Any]:
    """All figures for one gold text."""
    rows = list(method_scores(gold.test, gold.train, DEFAULT_TOTAL, True, DEFAULT_ORDER, DEFAULT_RULE, _SIZE))
    inside = {_name(row): row for row in rows if row.bpe}
    ngrams = Ngrams(gold.train, 6)
    return {
        "words": sum(map(len, gold.test)),
        "lines": len(gold.test),
        "table": {name: _percents(row.precision, row.recall, row.f1) for name, row in inside.items()},
        "precision": {name: round(100 * row.precision, 2) for name, row in inside.items()},
        "recall": {name: round(100 * row.recall, 2) for name, row in inside.items()},
        "f1": {name: round(100 * row.f1, 2) for name, row in inside.items()},
        "gain": {n: round(100 * (row.f1 - inside["Baseline"].f1), 2) for n, row in inside.items() if n != "Baseline"},
        "boundary_f1": {name: round(100 * row.boundary_f1, 2) for name, row in inside.items()},
        "without_bpe_f1": {_name(row): round(100 * row.f1, 2) for row in rows if not row.bpe},
        "conventions": _conventions(gold),
        "distributions": _distributions(ngrams),
        "sentence": _sentence(ngrams),
    }


def _name(row: MethodScores) -> str:
    """Name of the row in the paper's Table 1."""
    plain = {"none": "Baseline", "entropy-only": "Entropy Only", "lm-entropy": "GPT-2"}
    return plain.get(row.method, f"λ={row.lam:g}")


def _percents(*values: float) -> list[float]:
    return [round(100 * value, 2) for value in values]


def _conventions(gold: ScoredGold) -> dict[str, float]:
    """F1 with lambda 4 and BPE under each of the paper's open conventions: T, edges, whether the text is cut first."""
    texts = ["".join(words) for words in gold.test]
    found = {}
    for total in TOTALS:
        for edges in (True, False):
            cut = learn_boundaries("pmi-entropy", gold.train, 4.0, total, edges)
            model = train_inside(gold.train, cut, _SIZE)
            for how, ends in (("cut, then merged", cut), ("merged only", lambda text: [len(text)])):
                scores = score_segmentation(gold.test, [bpe_words(model, text, ends(text)) for text in texts])
                name = f"T = {total}, {'edges count' if edges else 'no edges'}, {how}"
                found[name] = round(100 * scores.f1, 2)
    return found


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
        "pmi_peak_nats": [round(peak * math.log(2), 1), round((peak + 1) * math.log(2), 1)],
        "zero_percent": {side: round(100 * float(share.mean()), 1) for side, share in zero.items()},
        "pmi_counts": {str(int(edge)): int(count) for edge, count in zip(edges, counts, strict=False)},
    }


def _sentence(ngrams: Ngrams) -> dict[str, Any]:
    """The sentence of Figure 5: entropy before every character (bits), and each rule's cuts scored on the paper's."""
    words = printed("entropy", "figure5_cuts")
    text = "".join(words)
    model = CharacterModel(ngrams, DEFAULT_ORDER)
    entropies = model.entropies(text)
    found: dict[str, Any] = {"bits": [round(value / math.log(2), 3) for value in entropies.tolist()]}
    for rule in ("rise", "peak"):
        cut = pieces(text, entropy_cuts(entropies, rule))
        scores = score_segmentation([words], [cut])
        found[rule] = {"pieces": cut, "boundary_f1": round(100 * scores.boundary_f1, 1)}
    return found


def _right_entropy(lines: Sequence[str], string: str) -> tuple[int, float]:
    """Occurrences of a string, and the entropy (bits) of the next character; the end of a line counts as one."""
    followers: Counter[str] = Counter()
    for line in lines:
        at = line.find(string)
        while at >= 0:
            followers[line[at + len(string) : at + len(string) + 1]] += 1
            at = line.find(string, at + 1)
    total = sum(followers.values())
    entropy = -sum(n / total * math.log2(n / total) for n in followers.values())
    return total, round(entropy, 3)
