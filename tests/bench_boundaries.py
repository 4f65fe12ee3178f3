"""The grid behind the defaults of `engine.boundaries`: `python tests/bench_boundaries.py GOLD`.

GOLD holds one sentence a line with white space between its words. 70 % of the lines are for training, the rest for
testing; BPE has at most 12,000 tokens. The lines are those of the entropy-driven pre-tokenization paper's Table 1.
"""

import random
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.boundaries.scoring import read_gold, score_segmentation
from engine.boundaries.segmenter import Cutter, bpe_words, learn_boundaries, pieces, train_inside
from engine.corpus.read import read_lines

_SIZE = 12_000


def main(path: str) -> None:
    """Print the table."""
    gold = read_gold(read_lines(path))
    random.Random(0).shuffle(gold)
    n_train = int(0.7 * len(gold))
    train = ["".join(words) for words in gold[:n_train]]
    test = gold[n_train:]
    texts = ["".join(words) for words in test]
    known = {word for words in gold[:n_train] for word in words}

    def report(name: str, predicted: list[list[str]], size: int | None) -> None:
        s = score_segmentation(test, predicted, known)
        sys.stdout.write(
            f"{name:<58} P {100 * s.precision:5.2f} R {100 * s.recall:5.2f} F1 {100 * s.f1:5.2f} | "
            f"boundary F1 {100 * s.boundary_f1:5.2f} | OOV R {100 * s.oov_recall:5.2f} | {size or '-'}\n"
        )

    def with_bpe(name: str, cut: Cutter) -> None:
        model = train_inside(train, cut, _SIZE)
        report(f"{name}, cut, then BPE", [bpe_words(model, line, cut(line)) for line in texts], model.vocab_size)
        whole = [bpe_words(model, line, [len(line)]) for line in texts]
        report(f"{name}, BPE only at inference", whole, model.vocab_size)

    def alone(name: str, cut: Cutter) -> None:
        report(f"{name}, without BPE", [pieces(line, cut(line)) for line in texts], None)

    with_bpe("BPE alone", learn_boundaries("none", train))
    for edges in (True, False):
        edge = "edges count" if edges else "edges left out"
        cut = learn_boundaries("entropy-only", train, edge_counts=edges)
        alone(f"entropy only, {edge}", cut)
        with_bpe(f"entropy only, {edge}", cut)
        for total, lam in product(("characters", "ngrams"), (0.0, 1.0, 4.0, 15.0)):
            cut = learn_boundaries("pmi-entropy", train, lam, total, edges)
            alone(f"lambda {lam:g}, T = {total}, {edge}", cut)
            with_bpe(f"lambda {lam:g}, T = {total}, {edge}", cut)
    for rule, order in product(("rise", "peak"), (2, 3, 4, 5)):
        cut = learn_boundaries("lm-entropy", train, order=order, rule=rule)
        alone(f"LM entropy, order {order}, {rule}", cut)
        with_bpe(f"LM entropy, order {order}, {rule}", cut)


if __name__ == "__main__":
    main(sys.argv[1])
