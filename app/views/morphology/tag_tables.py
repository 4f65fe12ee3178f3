"""Scores of tokenizers by part of speech, and the lines in which they go wrong, as tables."""

from collections.abc import Mapping, Sequence

import pandas as pd

from app.components.kwic.widget import KwicPlace
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.morphology import TagScores
from engine.measure.morphemes.tag_errors import TagError
from engine.measure.words import word_spans

TAG_MEASURES = ("cut", "found", "whole")


def tags_table(scores: Mapping[str, Sequence[TagScores]], names: Mapping[str, str]) -> pd.DataFrame:
    """One row per tokenizer and part of speech, the most frequent first.

    Parameters
    ----------
    names : of the parts of speech.

    Returns
    -------
    table : columns tokenizer, tag, name, pieces and boundaries (numbers of them), and each of TAG_MEASURES with the
        ends of its interval (`cut`, `cut_low`, `cut_high`, ...); NaN where there is nothing to measure.
    """
    rows = [
        {"tokenizer": tokenizer, "tag": one.tag, "name": names.get(one.tag, one.tag)} | _values(one)
        for tokenizer, own in scores.items()
        for one in own
        if one.tag
    ]
    ends = [f"{measure}{end}" for measure in TAG_MEASURES for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["tokenizer", "tag", "name", "pieces", "boundaries", *ends])


def _values(one: TagScores) -> dict[str, float]:
    values: dict[str, float] = {"pieces": one.whole.n, "boundaries": one.found.n}
    for name in TAG_MEASURES:
        measure = getattr(one, name)
        low, high = measure.interval or (float("nan"), float("nan"))
        values |= {name: measure.value, f"{name}_low": low, f"{name}_high": high}
    return values


def error_table(errors: Sequence[TagError]) -> pd.DataFrame:
    """One row per eojeol. Columns: eojeol, morphemes, tokens, count, line (the first, from 1)."""
    rows = [(one.surface, one.morphemes, one.tokens, len(one.lines), one.lines[0] + 1) for one in errors]
    return pd.DataFrame(rows, columns=["eojeol", "morphemes", "tokens", "count", "line"])


def error_places(error: TagError, analysis: Analysis) -> list[KwicPlace]:
    """The lines of an eojeol, one place for each occurrence."""
    places: list[KwicPlace] = []
    for number in dict.fromkeys(error.lines):
        line = analysis.lines[number]
        for begin, end in word_spans(line, "eojeol"):
            if line[begin:end] == error.surface:
                places.append({"line": number + 1, "left": line[:begin], "token": line[begin:end], "right": line[end:]})
    return places
