"""What the tokens of a model are in the grammar, on some lines of a text, and which kinds the rounds remove."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.segmenting import RoundSegmenter
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
    lines : in their order, normalised.
    n_lines : lines of the whole text that are not empty.
    """

    lines: list[str]
    n_lines: int


def sample_of(lines: Sequence[str], normalization: str, max_chars: int) -> Sample:
    """Lines that lie evenly over a text, of so many characters together, or a few more.

    A longer line is left out, unless it is the only one; then it is cut.
    """
    lines = [line for line in lines if line]
    step = max(1, -(-sum(map(len, lines)) // max_chars))
    short = [line for line in lines[::step] if len(line) <= max_chars] or [line[:max_chars] for line in lines[:1]]
    return Sample([normalize(line, normalization) for line in short], len(lines))


def round_classes(model: PrunedTokenizer, analysis: Analysis) -> np.ndarray:
    """int8[n_seed]: the class of most uses of every token of the seed vocabulary; NONE where it has none.

    A use is a place where the best segmentation has the token, in any round that the model holds: what a round removed
    was used in those before it, or never.

    Parameters
    ----------
    analysis : of lines that the model's normalisation leaves as they are.
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
    """Each class by its name in ALL_CLASSES."""
    return pd.Categorical.from_codes(np.where(classes == NONE, len(CLASSES), classes), ALL_CLASSES)


def survival_table(model: PrunedTokenizer, classes: np.ndarray) -> pd.DataFrame:
    """How many tokens of each class the vocabulary of a round has; a row a class and round.

    Columns: name (one of CLASSES), number, kept, share (of those that the first round has).
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
