"""Morphemes below the tokens of a text: the row of the strip, and the class of each tokenizer's tokens."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from app.components.data import StripRow, StripToken
from app.parts.tables.segmentation import Segmentation, TextPart
from app.parts.tables.strips import BREAKS, hex_label
from app.parts.tables.tokens import visible
from engine.corpus.morphemes.morpheme import Morpheme, ScoredAnalysis
from engine.measure.morphemes.tags import ENDING, STEM, SYMBOL, kind_of_tag
from engine.measure.morphemes.token_classes import CLASSES, NONE
from engine.measure.words import word_spans
from engine.tokenizer import Tokenizer

_PARTS = {frozenset((STEM,)): "stem", frozenset((ENDING,)): "ending", frozenset((SYMBOL,)): "symbol"}


def morpheme_row(
    morphemes: Sequence[Morpheme],
    part: TextPart,
    name: str,
    note: str,
    about: Callable[[str], str],
    by_hand: Collection[tuple[int, int]] = (),
) -> StripRow:
    """The morphemes of one part of a text, clipped to it.

    Parameters
    ----------
    about : the meaning of a tag.
    by_hand : manually corrected eojeols (code points begin, end).
    """
    tokens: list[StripToken] = []
    for one in morphemes:
        begin, end = max(one.begin, part.begin), min(one.end, part.end)
        if begin >= end:
            continue
        is_corrected = any(low <= one.begin and one.end <= high for low, high in by_hand)
        tokens.append(
            {
                "label": one.form.translate(BREAKS),
                "b": begin - part.begin,
                "e": end - part.begin,
                "hex": False,
                "ringed": False,
                "id": None,
                "kind": "corrected" if is_corrected else "",
                "tag": one.tag,
                "about": about(one.tag),
                "part": _PARTS.get(frozenset(map(kind_of_tag, one.tag.split("+"))), "both"),
            }
        )
    return {"name": name, "note": note, "tokens": tokens, "kind": "morphemes"}


def analyses_table(found: Mapping[str, Sequence[ScoredAnalysis]]) -> pd.DataFrame:
    """One row per analysis, by analyser. Columns: analyser, rank (from 1), score (NaN: unknown), analysis (as
    `나/NP 는/JX`, with morphemes that the analyser's best does not have in 【】)."""
    rows = [
        (name, rank, one.score, " ".join(_marked(morpheme, own[0].morphemes) for morpheme in one.morphemes))
        for name, own in found.items()
        for rank, one in enumerate(own, start=1)
    ]
    return pd.DataFrame(rows, columns=["analyser", "rank", "score", "analysis"])


def _marked(one: Morpheme, best: Sequence[Morpheme]) -> str:
    text = f"{one.form}/{one.tag}"
    return text if one in best else f"【{text}】"


def class_table(titles: Sequence[str], classes: Sequence[np.ndarray]) -> pd.DataFrame:
    """One row per tokenizer: its name, and the number of its tokens in each class.

    Columns: name, each of CLASSES.
    """
    counts = [np.bincount(own[own != NONE], minlength=len(CLASSES)) for own in classes]
    table = pd.DataFrame(np.array(counts).reshape(-1, len(CLASSES)), columns=list(CLASSES))
    table.insert(0, "name", list(titles))
    return table


def class_examples(tokenizer: Tokenizer, segmentation: Segmentation, classes: np.ndarray, limit: int) -> list[str]:
    """The most frequent tokens of each of CLASSES, one line each: `는 ×3 · 다 ×2`."""
    lines = []
    for code in range(len(CLASSES)):
        tokens = np.flatnonzero(classes == code).tolist()
        often = Counter(_label(tokenizer, segmentation, token) for token in tokens).most_common(limit)
        lines.append(" · ".join(label + (f" ×{count}" if count > 1 else "") for label, count in often))
    return lines


def _label(tokenizer: Tokenizer, segmentation: Segmentation, token: int) -> str:
    if segmentation.is_partial[token]:
        return hex_label(segmentation.bytes_of(token))
    return visible(tokenizer.token_label(int(segmentation.ids[token])))


def beginning_of(text: str, limit: int) -> str:
    """The first characters of a text, up to `limit`, in whole eojeols if it has spaces."""
    if len(text) <= limit:
        return text
    spans = [end for _, end in word_spans(text[: limit + 1], "eojeol") if end <= limit]
    return text[: spans[-1]] if spans else text[:limit]
