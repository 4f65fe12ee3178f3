"""The tokens of a text as a table, with what the model knows about each."""

import math

import numpy as np
import pandas as pd

from app.parts.tables.segmentation import Segmentation
from app.parts.tables.strips import hex_label
from app.parts.tables.tokens import shown
from engine.merges.merged import Merged
from engine.tokenizer import Tokenizer
from engine.unigram.levels import level_of
from engine.unigram.model import Model


def occurrence_table(
    model: Tokenizer, segmentation: Segmentation, first: int = 0, last: int | None = None
) -> pd.DataFrame:
    """Tokens `first` to `last` of a text, one row each.

    Columns: number (from 1), token (as shown), id, bytes (hexadecimal), code_points; of a model with probabilities also
    log2_prob (bits), p (eq. 5), be (bits), level (of merge models: merge, the number of the merge that made the token).
    """
    ids = segmentation.ids[first:last]
    places = range(first, first + ids.size)
    data = [segmentation.bytes_of(k) for k in places]
    partial = segmentation.is_partial[first:last].tolist()
    table = pd.DataFrame(
        {
            "number": np.arange(first + 1, first + 1 + ids.size),
            "token": [
                hex_label(piece) if is_partial else shown(piece.decode())
                for piece, is_partial in zip(data, partial, strict=True)
            ],
            "id": ids,
            "bytes": [piece.hex(" ").upper() for piece in data],
            "code_points": [code_points(segmentation, k) for k in places],
        }
    )
    if isinstance(model, Model):
        return table.assign(**_statistics(model, ids, data))
    if isinstance(model, Merged):
        merges = ids - model.n_first + 1
        return table.assign(merge=pd.array(np.where(merges > 0, merges, -1), dtype="Int64")).replace(
            {"merge": {-1: pd.NA}}
        )
    return table


def _statistics(model: Model, ids: np.ndarray, data: list[bytes]) -> dict[str, object]:
    """Columns of a model with probabilities; special tokens have none."""
    rows = _rows_of_ids(model)[ids]
    at = np.searchsorted(model.alive_rows(), rows)
    final = model.history[-1]

    def numbers(values: np.ndarray) -> np.ndarray:
        return np.where(rows >= 0, values[np.minimum(at, values.size - 1)], np.nan)

    return {
        "log2_prob": numbers(final.log_prob) / math.log(2),
        "p": numbers(final.sentence_prob),
        "be": numbers(final.branching_entropy) / math.log(2),
        "level": [level_of(piece) if row >= 0 else "" for piece, row in zip(data, rows.tolist(), strict=True)],
    }


def code_points(segmentation: Segmentation, token: int) -> str:
    """`U+C548 U+B155`; of a part of one character also which of its bytes: `U+C54D (1/3)`. Of nothing, nothing."""
    if segmentation.byte_begin[token] == segmentation.byte_end[token]:
        return ""
    text = segmentation.text[segmentation.begin[token] : segmentation.end[token]]
    codes = " ".join(f"U+{ord(char):04X}" for char in text)
    if not segmentation.is_partial[token] or len(text) > 1:
        return codes
    first = lead = int(segmentation.byte_begin[token])
    while segmentation.data[lead] & 0xC0 == 0x80:
        lead -= 1
    first, last, size = first - lead + 1, int(segmentation.byte_end[token]) - lead, len(text.encode())
    return f"{codes} ({first if first == last else f'{first}–{last}'}/{size})"


def _rows_of_ids(model: Model) -> np.ndarray:
    """Row of every id (int64[vocab_size]); -1 for special tokens, which have none."""
    rows = np.full(model.vocab_size, -1, dtype=np.int64)
    alive = np.flatnonzero(model.ids >= 0)
    rows[model.ids[alive]] = alive
    return rows
