"""A sentence segmented by several methods, and the methods' scores."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from engine.boundaries.language_model import CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.corpus.normalize import text_of_spans
from engine.segmentation.scoring import KINDS, RIGHT, f1_sums, score_segmentation, stretches
from engine.segmentation.segmenter import MethodScores, pieces, token_words
from engine.tokenizer import Tokenizer

_AROUND = 8  # characters of context on either side of an error

LAMBDAS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0)


def profile_table(ngrams: Ngrams, model: CharacterModel, text: str, total: str) -> pd.DataFrame:
    """One row per character.

    Columns: position (from 0), character, pmi (with the next character, nats; NaN: never seen together), left_entropy,
    right_entropy, lm_entropy (nats).
    """
    numbers = ngrams.numbers(text)[0]
    level = ngrams.levels[0]
    seen = numbers >= 0
    pmi = np.append(ngrams.pmi(text, total), np.nan)
    return pd.DataFrame(
        {
            "position": np.arange(len(text)),
            "character": list(text),
            "pmi": np.where(np.isfinite(pmi), pmi, np.nan),
            "left_entropy": np.where(seen, level.left_entropy[numbers], 0.0),
            "right_entropy": np.where(seen, level.right_entropy[numbers], 0.0),
            "lm_entropy": model.entropies(text),
        }
    )


def fixed_cuts(ngrams: Ngrams, model: CharacterModel, text: str, total: str, rule: str) -> dict[str, list[int]]:
    """Ends of the pieces under each method that does not depend on lambda, by its name."""
    return {
        "pmi_only": UtilityMatcher(ngrams, 0.0, total).cut(text),
        "entropy_only": UtilityMatcher(ngrams, float("inf"), total).cut(text),
        "lm": entropy_cuts(model.entropies(text), rule),
    }


def scores_table(rows: Iterable[MethodScores], knows_words: bool) -> pd.DataFrame:
    """The rows of the paper's Table 1 on a gold text; `oov_recall` where the words of the training text are known."""
    table = pd.DataFrame(rows, columns=MethodScores._fields)
    return table if knows_words else table.drop(columns="oov_recall")


def tokenizer_scores(gold: Sequence[Sequence[str]], tokenizer: Tokenizer) -> dict[str, Any]:
    """The same scores, by column, for a tokenizer that was not trained here."""
    words = [[text_of_spans(word, tokenizer.normalization) for word in own] for own in gold]
    found = [token_words(tokenizer, "".join(own)) for own in words]
    scores = score_segmentation(words, found)
    shares = {name: getattr(scores, name) for name in ("precision", "recall", "f1", "boundary_f1")}
    return {**shares, "f1_sums": f1_sums(words, found)}


class Errors(NamedTuple):
    """The errors of a segmentation.

    Attributes
    ----------
    counts : spans of each of KINDS.
    table : the errors, the most frequent first. Columns: kind, gold, found (with bars), count, context (of the first
        one, cut as in gold), sentence (of the first one).
    """

    counts: dict[str, int]
    table: pd.DataFrame


def errors_of(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Errors:
    """The errors of sentences; see `engine.segmentation.scoring.stretches`."""
    counts: Counter[str] = Counter()
    errors: Counter[tuple[str, str, str]] = Counter()
    first: dict[tuple[str, str, str], tuple[str, str]] = {}
    for own, found in zip(gold, predicted, strict=True):
        text = "".join(own)
        for one in stretches(own, found):
            counts[one.kind] += 1
            if one.kind == RIGHT:
                continue
            key = (one.kind, "|".join(one.gold), "|".join(one.found))
            errors[key] += 1
            if key not in first:
                before, after = text[max(0, one.begin - _AROUND) : one.begin], text[one.end : one.end + _AROUND]
                first[key] = (f"{before}[{key[1]}]{after}", text)
    rows = [(*key, count, *first[key]) for key, count in errors.most_common()]
    table = pd.DataFrame(rows, columns=["kind", "gold", "found", "count", "context", "sentence"])
    return Errors({kind: counts[kind] for kind in KINDS}, table)


def errors_table(found: Mapping[str, Errors]) -> pd.DataFrame:
    """Counts of spans by kind, one row each. Columns: name, and KINDS."""
    return pd.DataFrame([{"name": name, **errors.counts} for name, errors in found.items()])


def lambda_curve(gold: Sequence[Sequence[str]], train: Sequence[str], total: str, edges: bool) -> pd.DataFrame:
    """F1 over lambda, without BPE. Columns: lam, f1, boundary_f1."""
    ngrams = Ngrams(train, 6, edges)
    texts = ["".join(words) for words in gold]
    rows = []
    for lam in LAMBDAS:
        matcher = UtilityMatcher(ngrams, lam, total)
        scores = score_segmentation(gold, [pieces(text, matcher.cut(text)) for text in texts])
        rows.append((lam, scores.f1, scores.boundary_f1))
    return pd.DataFrame(rows, columns=["lam", "f1", "boundary_f1"])


def distribution_table(ngrams: Ngrams, total: str) -> pd.DataFrame:
    """PMI of all pairs that occur, and left and right entropy of all n-grams: the paper's Figure 2.

    Columns: kind (pmi, left_entropy, right_entropy), value (nats), count.
    """
    width = ngrams.n_symbols
    parts = []
    if ngrams.n_max > 1 and ngrams.levels[1].keys.size:
        pairs, single = ngrams.levels[1], ngrams.levels[0].counts
        first, last = pairs.keys // width, np.searchsorted(ngrams.levels[0].keys, pairs.keys % width)
        count = ngrams.n_characters if total == "characters" else ngrams.n_ngrams
        parts.append(("pmi", np.log(pairs.counts * (count / (single[first] * single[last])))))
    for kind in ("left_entropy", "right_entropy"):
        parts.append((kind, np.concatenate([getattr(level, kind) for level in ngrams.levels])))
    rows = []
    for kind, values in parts:
        counts, edges = np.histogram(values, bins=40)
        rows.append(pd.DataFrame({"kind": kind, "value": (edges[:-1] + edges[1:]) / 2, "count": counts}))
    return pd.concat(rows, ignore_index=True)
