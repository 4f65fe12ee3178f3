"""Grammatical classes of a model's tokens, on some lines of a text, and which classes the rounds remove."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.rounds import RoundSegmenter
from engine.corpus.normalize import normalize
from engine.measure.morphemes.analysis import Analysis
from engine.measure.morphemes.token_classes import CLASSES, NONE, token_classes, usual_classes
from engine.tokenizer import PrunedTokenizer

UNUSED = "unused"
ALL_CLASSES = (*CLASSES, UNUSED)  # of the tokens of a vocabulary


class Sample(NamedTuple):
    """Some lines of a text.

    Attributes
    ----------
    lines : in order, normalised.
    n_lines : non-empty lines of the whole text.
    """

    lines: list[str]
    n_lines: int


def sample_of(lines: Sequence[str], normalization: str, max_chars: int) -> Sample:
    """Lines spread evenly over a text, with `max_chars` characters together, or slightly more.

    A longer line is left out, unless it is the only one; then it is truncated.
    """
    lines = [line for line in lines if line]
    step = max(1, -(-sum(map(len, lines)) // max_chars))
    short = [line for line in lines[::step] if len(line) <= max_chars] or [line[:max_chars] for line in lines[:1]]
    return Sample([normalize(line, normalization) for line in short], len(lines))


def round_classes(model: PrunedTokenizer, analysis: Analysis) -> np.ndarray:
    """int8[n_seed]: the class of most uses of every token of the seed vocabulary; NONE if it has no use.

    A use is an occurrence of the token in the best segmentation of any round stored in the model: a token that a round
    removed was used in earlier rounds, or never.

    Parameters
    ----------
    analysis : of lines that the model's normalisation does not change.
    """
    segmenter = RoundSegmenter(model, analysis.lines)
    rows: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
    classes: list[np.ndarray] = [np.empty(0, dtype=np.int8)]
    for number in model.kept_rounds if analysis.lines else ():
        segments = [segmenter.segment(line, number) for line in analysis.lines]
        sizes = np.concatenate([np.diff(ends, prepend=0) for _, ends in segments])
        end = np.cumsum(sizes)
        rows.append(np.concatenate([own for own, _ in segments]))
        classes.append(token_classes(end - sizes, end, analysis))
    return usual_classes(np.concatenate(rows), np.concatenate(classes), len(model.tokens))


def class_names(classes: np.ndarray) -> pd.Categorical:
    return pd.Categorical.from_codes(np.where(classes == NONE, len(CLASSES), classes), ALL_CLASSES)


def survival_table(model: PrunedTokenizer, classes: np.ndarray) -> pd.DataFrame:
    """Number of tokens of each class in the vocabulary of each round; one row per class and round.

    Columns: name (one of CLASSES), number, kept, share (of those in the first round).
    """
    died = model.died_in_round
    rows = []
    for code, name in enumerate(CLASSES):
        own = died[classes == code]
        kept = [int(((own < 0) | (own >= number)).sum()) for number in model.kept_rounds]
        rows += [
            (name, number, n, n / kept[0] if kept[0] else np.nan)
            for number, n in zip(model.kept_rounds, kept, strict=True)
        ]
    return pd.DataFrame(rows, columns=["name", "number", "kept", "share"])
