"""The tokens of a text as a table, with what the model knows about each."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from app.parts.tables.segmentation import Segmentation
from app.parts.tables.strips import hex_label
from app.parts.tables.tokens import visible
from engine.corpus.normalize import JAMO
from engine.tokenizer import Tokenizer
from engine.unigram.model.levels import level_of


def occurrence_table(
    model: Tokenizer, segmentation: Segmentation, first: int = 0, last: int | None = None
) -> pd.DataFrame:
    """Tokens `first` to `last` of a text, one row per token.

    Columns: number (from 1), token (as shown), id, bytes (hexadecimal), code_points; of a model with probabilities also
    log2_prob (bits), level and, where it was trained here, p (eq. 5) and be (bits); where the merges are known: merge,
    the number of the one that made the token.
    """
    ids = segmentation.ids[first:last]
    places = range(first, first + ids.size)
    data = [segmentation.bytes_of(k) for k in places]
    partial = segmentation.is_partial[first:last].tolist()
    if model.normalization == JAMO:  # its tokens are jamo, not bytes of the syllables that they cut
        data, partial = [model.token_bytes(token_id) for token_id in ids.tolist()], [False] * len(data)
    table = pd.DataFrame(
        {
            "number": np.arange(first + 1, first + 1 + ids.size),
            "token": [
                hex_label(piece)
                if is_part
                else visible(piece.decode(errors="hex_tokens") or model.token_label(token_id))
                for piece, is_part, token_id in zip(data, partial, ids.tolist(), strict=True)
            ],
            "id": ids,
            "bytes": [piece.hex(" ").upper() for piece in data],
            "code_points": [code_points(segmentation, k) for k in places],
        }
    )
    known = {name: values[ids] for name, values in model.statistics().items()}
    if "log_prob" in known:
        table["log2_prob"] = known["log_prob"] / math.log(2)
    if "p" in known:
        table["p"] = known["p"]
    if "be" in known:
        table["be"] = known["be"] / math.log(2)
    if "log_prob" in known:
        surfaces = [model.token_bytes(token_id) for token_id in ids.tolist()]
        table["level"] = [level_of(surface) if surface else "" for surface in surfaces]
    if "merge" in known:
        table["merge"] = pd.Series(known["merge"], dtype="Int64").where(known["merge"] > 0)
    return table


def id_table(model: Tokenizer, ids: Sequence[int]) -> pd.DataFrame:
    """Tokens by id, one row each. Columns: token (as shown), id, bytes (hexadecimal)."""
    rows = [(visible(model.token_label(one)), one, model.token_bytes(one).hex(" ").upper()) for one in ids]
    return pd.DataFrame(rows, columns=["token", "id", "bytes"])


def code_points(segmentation: Segmentation, token: int) -> str:
    """`U+C548 U+B155`; for part of a character also which of its bytes: `U+C54D (1/3)`. Empty for an empty token."""
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
