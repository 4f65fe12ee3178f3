"""Tables of the Unigram lesson: counts, segmentations, Viterbi cells, pruning rounds, and the sources' numbers."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from app.components.data import Span, ViterbiCandidate, ViterbiCell, ViterbiData
from app.texts.catalogue import TEXT_LANGUAGE
from app.texts.plain import visible_space
from app.toys.unigram import ToyCell, ToySegmentation, UnigramStep, all_segmentations, best_segmentation, viterbi_cells

BEST, TIE = "best", "tie"
_TIE = 1e-9


def count_table(counts: Mapping[str, int]) -> pd.DataFrame:
    """One row per token, most frequent first: token, count, fraction (`17/210`), prob."""
    total = sum(counts.values())
    rows = [(visible_space(token), count, f"{count}/{total}", count / total) for token, count in counts.items()]
    table = pd.DataFrame(rows, columns=["token", "count", "fraction", "prob"])
    return table.sort_values("count", ascending=False, kind="stable", ignore_index=True)


def factors(tokens: Sequence[str], prob: Mapping[str, float], counts: Mapping[str, int] | None) -> str:
    """The product of a segmentation written out: `16/210 × 15/210`, or powers of e if P is not estimated."""
    if counts is None:
        return " × ".join(f"e^({math.log(prob[token]):.1f})".replace("-", "−") for token in tokens)
    total = sum(counts.values())
    return " × ".join(f"{counts[token]}/{total}" for token in tokens)


def segmentation_table(
    found: Sequence[ToySegmentation], prob: Mapping[str, float], counts: Mapping[str, int] | None
) -> pd.DataFrame:
    """One row per segmentation, best first: tokens, n_tokens, product, prob, log_prob (nats), share, verdict.

    `share` is its share of the probability of the word. `verdict` is BEST for the one chosen by Viterbi, TIE for those
    equally probable, or empty. `counts` None: P is given (see `factors`).
    """
    total = sum(one.prob for one in found)
    rows = []
    for k, one in enumerate(found):
        is_tie = abs(one.prob - found[0].prob) <= _TIE * found[0].prob
        verdict = BEST if k == 0 else TIE if is_tie else ""
        tokens = " | ".join(map(visible_space, one.tokens))
        rows.append(
            (
                tokens,
                len(one.tokens),
                factors(one.tokens, prob, counts),
                one.prob,
                math.log(one.prob),
                one.prob / total,
                verdict,
            )
        )
    names = ["tokens", "n_tokens", "product", "prob", "log_prob", "share", "verdict"]
    return pd.DataFrame(rows, columns=names)


def listed_segmentations(word: str, prob: Mapping[str, float]) -> list[ToySegmentation]:
    """All segmentations of a word; among ties, the one chosen by Viterbi is first."""
    found = all_segmentations(word, prob)
    chosen = best_segmentation(word, prob)[0]
    top = [one for one in found if one.tokens == chosen]
    return top + [one for one in found if one.tokens != chosen]


def cell_table(word: str, prob: Mapping[str, float]) -> pd.DataFrame:
    """One row per position: position (from 1), part, tokens (best so far), log_prob (nats), prob."""
    rows = []
    for end in range(1, len(word) + 1):
        tokens, log_prob = best_segmentation(word[:end], prob)
        rows.append(
            (end, visible_space(word[:end]), " | ".join(map(visible_space, tokens)), log_prob, math.exp(log_prob))
        )
    return pd.DataFrame(rows, columns=["position", "part", "tokens", "log_prob", "prob"])


def toy_viterbi_data(word: str, prob: Mapping[str, float]) -> ViterbiData:
    """The Viterbi table of a word that can be written, for the component."""
    cells = viterbi_cells(word, prob)
    arcs: list[Span] = []
    steps: list[ViterbiCell] = []
    index: dict[tuple[int, int], int] = {}
    for cell in cells:
        candidates: list[ViterbiCandidate] = []
        for way in cell.candidates:
            index[way.begin, cell.end] = len(arcs)
            arcs.append({"b": way.begin, "e": cell.end, "label": way.token})
            candidates.append(
                {
                    "arc": len(arcs) - 1,
                    "before": way.total - way.log_prob,
                    "total": way.total,
                    "winner": way == cell.best,
                    "tie": len(cell.ties) > 1 and way in cell.ties and way != cell.best,
                }
            )
        steps.append({"end": cell.end, "best": cell.best.total if cell.best else -math.inf, "candidates": candidates})
    path = [index[begin, end] for begin, end in _spans(cells)]
    return {"chars": list(word), "arcs": arcs, "steps": steps, "path": path, "unit": "nat", "lang": TEXT_LANGUAGE}


def _spans(cells: Sequence[ToyCell]) -> list[tuple[int, int]]:
    """Begin and end of the tokens of the best segmentation, in order."""
    spans: list[tuple[int, int]] = []
    end = len(cells)
    while end > 0:
        best = cells[end - 1].best
        if best is None:
            return []
        spans.insert(0, (best.begin, end))
        end = best.begin
    return spans


def loss_rows(
    words: Mapping[str, int], prob: Mapping[str, float], token: str
) -> list[tuple[str, int, tuple[str, ...], tuple[str, ...], float]]:
    """How removing a token increases the loss, by word.

    One row for each word whose best segmentation uses it: word, count, its tokens now, its tokens without, and the
    increase of the loss (count times the difference of the log probabilities, nats).
    """
    rows = []
    for word, count in words.items():
        tokens, log_prob = best_segmentation(word, prob)
        if token in tokens:
            other, lower = best_segmentation(word, prob, without=token)
            rows.append((word, count, tokens, other, count * (log_prob - lower)))
    return rows


def cheapest(step: UnigramStep) -> list[str]:
    """Tokens whose removal costs least in a round: one, or several that tie."""
    least = min(step.increase.values(), default=0.0)
    return [token for token, cost in step.increase.items() if cost <= least + _TIE]


def rounds_table(steps: Sequence[UnigramStep]) -> pd.DataFrame:
    """One row per round: round, size, loss (nats), n_removed, removed, cost, vocabulary.

    `cost` is the highest loss of a removed token; None in a round that removes nothing.
    """
    rows = []
    for step in steps:
        cost = max((step.increase[token] for token in step.removed), default=None)
        removed = ", ".join(map(visible_space, step.removed))
        vocabulary = " ".join(map(visible_space, step.prob))
        rows.append((step.number, len(step.prob), step.loss, len(step.removed), removed, cost, vocabulary))
    return pd.DataFrame(rows, columns=["round", "size", "loss", "n_removed", "removed", "cost", "vocabulary"])


def source_table(counts: Mapping[str, int], prob: Mapping[str, float]) -> pd.DataFrame:
    """The hug corpus as printed in its sources, and as computed here: what, source, printed, here, same.

    `source` is `course` (the Hugging Face course, chapter 6, which prints 5/210 for p and pu) or `slides`.
    """
    total = sum(counts.values())
    rows = [(f"P({token})", "course", f"5/{total}", f"{counts[token]}/{total}") for token in ("p", "pu")]
    for tokens, printed in ((("p", "u", "g"), "0.000389"), (("pu", "g"), "0.0022676")):
        own = math.prod(prob[token] for token in tokens)
        rows.append((f"P({', '.join(tokens)})", "course", printed, f"{own:.7f}"))
    for part, score in (("u", 0.171429), ("un", 0.076191), ("unh", 0.005442), ("unhu", 0.005442), ("unhug", 0.005442)):
        own = math.exp(best_segmentation(part, prob)[1])
        name = f"{part}: {' | '.join(best_segmentation(part, prob)[0])}"
        rows.append((name, "slides", f"{score:.6f}", f"{own:.6f}"))
    table = pd.DataFrame(rows, columns=["what", "source", "printed", "here"])
    return table.assign(same=table["printed"] == table["here"])
