"""The grid for the defaults of `engine.boundaries`: `python -m tests.bench.boundaries GOLD`.

GOLD holds one sentence a line with white space between its words. 70 % of the lines are for training, the rest for
testing, in five shuffles of their own seeds; BPE has at most 12,000 tokens. The methods are those of Table 1 of the
entropy-driven pre-tokenization paper, under every convention that it leaves open. Standard deviations are over the
shuffles, which share lines: they say how much a split matters, not how sure a difference is.
"""

import random
import sys
from collections.abc import Sequence
from itertools import product

import numpy as np

from engine.boundaries.language_model import RULES
from engine.boundaries.utility import TOTALS
from engine.corpus.reading.read import read_lines
from engine.segmentation.scoring import Scores, read_gold, score_segmentation
from engine.segmentation.segmenter import Cutter, bpe_words, learn_boundaries, pieces, train_inside

_SIZE = 12_000
_SPLITS = 5
_LAMBDAS = (0.0, 1.0, 4.0, 15.0)
_ORDERS = (2, 3, 4, 5)
# Word-level F1 of the paper's Table 1 (PKU).
_PAPER = {
    "BPE alone": 49.30,
    "lambda 0": 34.39,
    "lambda 1": 47.47,
    "lambda 4": 58.73,
    "lambda 15": 57.12,
    "entropy only": 55.71,
    "LM entropy": 57.70,
}
# Whether and how BPE comes in: the pieces are the words; the test text is cut, then merged; it is merged only.
_USES = ("no BPE", "cut, BPE", "BPE only")

# Method and convention; by use, the scores of every split and the size of the vocabulary.
_Key = tuple[str, str]
_Results = dict[_Key, dict[str, list[tuple[Scores, int]]]]


def _methods(train: Sequence[str]) -> list[tuple[_Key, Cutter]]:
    methods = [(("BPE alone", ""), learn_boundaries("none", train))]
    for edges in (True, False):
        edge = "edges count" if edges else "edges left out"
        methods.append((("entropy only", edge), learn_boundaries("entropy-only", train, edge_counts=edges)))
        for total, lam in product(TOTALS, _LAMBDAS):
            cut = learn_boundaries("pmi-entropy", train, lam, total, edges)
            methods.append(((f"lambda {lam:g}", f"T = {total}, {edge}"), cut))
    for rule, order in product(RULES, _ORDERS):
        cut = learn_boundaries("lm-entropy", train, order=order, rule=rule)
        methods.append((("LM entropy", f"order {order}, {rule}"), cut))
    return methods


def _measure(gold: list[list[str]], results: _Results) -> None:
    n_train = int(0.7 * len(gold))
    train, test = ["".join(words) for words in gold[:n_train]], gold[n_train:]
    known = {word for words in gold[:n_train] for word in words}
    texts = ["".join(words) for words in test]
    for key, cut in _methods(train):
        model = train_inside(train, cut, _SIZE)
        cuts = [cut(text) for text in texts]
        found = {
            "no BPE": ([pieces(text, ends) for text, ends in zip(texts, cuts, strict=True)], 0),
            "cut, BPE": ([bpe_words(model, *pair) for pair in zip(texts, cuts, strict=True)], model.vocab_size),
            "BPE only": ([bpe_words(model, text, [len(text)]) for text in texts], model.vocab_size),
        }
        for use, (words, size) in found.items():
            scores = score_segmentation(test, words, known)
            results.setdefault(key, {}).setdefault(use, []).append((scores, size))


def _print_grid(results: _Results) -> None:
    print(f"{'method':<13} {'convention':<33} {'use':<9}      P      R     F1 (sd)    boundary F1  OOV R  size")
    for (method, convention), uses in results.items():
        for use in _USES:
            if method == "BPE alone" and use != "BPE only":
                continue  # there is nothing to cut
            scores = [one for one, _ in uses[use]]
            p, r, f, b, oov = (
                [100 * getattr(one, name) for one in scores]
                for name in ("precision", "recall", "f1", "boundary_f1", "oov_recall")
            )
            size = round(float(np.mean([size for _, size in uses[use]])))
            print(
                f"{method:<13} {convention:<33} {use:<9} {np.mean(p):6.2f} {np.mean(r):6.2f} {np.mean(f):6.2f} "
                f"({np.std(f, ddof=1):.2f})  {np.mean(b):8.2f} {np.mean(oov):9.2f}  {size or '-'}"
            )


def _print_distances(results: _Results) -> None:
    """How far each convention is from the paper: root mean square over the rows it has, of F1 and of what F1 gains."""

    def f1(key: _Key, use: str) -> float:
        return 100 * float(np.mean([one.f1 for one, _ in results[key][use]]))

    base = f1(("BPE alone", ""), "BPE only")
    print("\nfrom the paper's Table 1, rms of lambda 0, 1, 4, 15, entropy only: F1, gain over BPE alone")
    for total, edge, use in product(TOTALS, ("edges count", "edges left out"), _USES[1:]):
        own = {f"lambda {lam:g}": f1((f"lambda {lam:g}", f"T = {total}, {edge}"), use) for lam in _LAMBDAS}
        own["entropy only"] = f1(("entropy only", edge), use)
        apart = np.array([value - _PAPER[name] for name, value in own.items()])
        gain = apart - (base - _PAPER["BPE alone"])
        print(f"{f'T = {total}, {edge}, {use}':<70} {np.sqrt((apart**2).mean()):6.2f} {np.sqrt((gain**2).mean()):8.2f}")
    print(f"\nBPE alone: {base:.2f}, the paper {_PAPER['BPE alone']:.2f}")
    for rule, order, use in product(RULES, _ORDERS, _USES[1:]):
        own_f1 = f1(("LM entropy", f"order {order}, {rule}"), use)
        name = f"LM entropy, order {order}, {rule}, {use}"
        print(f"{name:<45} {own_f1:.2f}, gain {own_f1 - base:+.2f} (the paper's GPT-2: 57.70, +8.40)")


def main(path: str) -> None:
    """Print the grid and the distances."""
    gold = read_gold(read_lines(path)).words
    results: _Results = {}
    for seed in range(_SPLITS):
        shuffled = list(gold)
        random.Random(seed).shuffle(shuffled)
        _measure(shuffled, results)
    _print_grid(results)
    _print_distances(results)


if __name__ == "__main__":
    main(sys.argv[1])
