"""Token boundaries against morpheme boundaries: several models on one analysis, each compared with the best."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.corpus.morphemes.analysers import ANALYSERS
from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings
from engine.errors import InputError
from engine.measure.best import ties_with_best
from engine.measure.morphemes.analysis import Analysis, silver_analysis, tagged_analysis, tags_source
from engine.measure.morphemes.gold import read_gold
from engine.measure.morphemes.morphology import MorphologyScores, morphology_scores
from engine.measure.result import Measure
from engine.tokenizer import Tokenizer

_MOST_EXAMPLES = 20  # eojeols that could not be aligned


def read_analysis(
    gold: str | Path,
    text: Sequence[str] | None = None,
    settings_of: Callable[[str | None], AnalyserSettings] = lambda _: AS_WRITTEN,
) -> Analysis:
    """The morphemes of a gold file, or those that the program `gold` (a key of ANALYSERS) finds in the lines `text`.

    Parameters
    ----------
    settings_of : the settings of the program that is used, which also gives a gold file the parts of speech it lacks.

    Raises
    ------
    InputError : a program without a text, or a text without a program; the program is not installed; the file is
        malformed.
    """
    if (gold in ANALYSERS) != (text is not None):
        raise InputError("morphology.text", programs=", ".join(ANALYSERS))
    if text is not None:
        return silver_analysis(text, str(gold), settings_of(str(gold)))
    sentences = read_gold(gold)
    source = tags_source(sentences)
    return tagged_analysis(sentences, source, settings_of(source))


def morphology_rows(
    models: Iterable[tuple[str, Tokenizer]], analysis: Analysis, gold: str, is_silver: bool = False, seed: int = 0
) -> list[dict[str, Any]]:
    """A row for every model, each with its name; None stands for what cannot be measured.

    Intervals are 95 % bootstrap intervals over sentences. The best models are those that tie with the highest F1:
    paired differences, with Holm's correction over the models (`FromBest.fields`). None is called best if too few
    eojeols are aligned (`Analysis.has_verdict`).
    """
    rows, sums = [], []
    for model, tokenizer in models:
        scores = morphology_scores(tokenizer, analysis, seed)
        rows.append(_row(model, gold, tokenizer, scores, analysis, is_silver))
        sums.append(scores.f1_sums)
    for row, against in zip(rows, ties_with_best([sums], seed=seed)[0], strict=True):
        row.update(against.fields())
        if not analysis.has_verdict:
            row["best"] = None
    return rows


def _row(
    model: str, gold: str, tokenizer: Tokenizer, scores: MorphologyScores, analysis: Analysis, silver: bool
) -> dict[str, Any]:
    """One model without its comparison."""
    return {
        "model": model,
        "gold": gold,
        "silver": silver,
        "algorithm": tokenizer.name,
        "vocab_size": tokenizer.vocab_size,
        "sentences": len(analysis.lines),
        "eojeols": scores.n_words,
        "aligned": scores.n_aligned,
        "aligned_share": analysis.share_aligned,
        "fused_boundaries": scores.n_fused,
        **_values({"fertility": scores.fertility, **scores.measures}),
        "by_frequency": [
            {"frequency": name, "eojeols": measures["clean"].n, **_values(measures)}
            for name, measures in scores.by_frequency.items()
        ],
        "tags_of": analysis.tags_of,
        "by_tag": [
            {
                "tag": tag.tag,
                "pieces": tag.whole.n,
                "boundaries": tag.found.n,
                **_values({"whole": tag.whole, "cut": tag.cut, "found": tag.found}),
            }
            for tag in scores.by_tag
        ],
        "unaligned": len(analysis.unaligned),
        "unaligned_eojeols": scores.n_words - scores.n_aligned,
        "unaligned_examples": [[one.surface, one.morphemes] for one in analysis.unaligned[:_MOST_EXAMPLES]],
        "unaligned_counts": [one.times for one in analysis.unaligned[:_MOST_EXAMPLES]],
    }


def _values(measures: Mapping[str, Measure]) -> dict[str, float | None]:
    """Each measure with the ends of its interval."""
    values: dict[str, float | None] = {}
    for name, measure in measures.items():
        low, high = measure.interval or (None, None)
        known = measure.value == measure.value
        values |= {name: measure.value if known else None, f"{name}_low": low, f"{name}_high": high}
    return values
