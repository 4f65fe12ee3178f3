"""Unused tokens, ids decoded with another vocabulary, and the cost of source code."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import visible
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.tokenizer import Tokenizer


def unused_tokens(tokenizer: Tokenizer, lines: Iterable[str]) -> pd.DataFrame:
    """Text tokens that no encoding of the lines uses. Columns: token (as shown), id, n_bytes; longest first.

    A model trained on this text never sees them: their embeddings stay as initialized.
    """
    times = encode_lines(tokenizer, list(lines)).counts()
    ids = [i for i in np.flatnonzero(times == 0).tolist() if tokenizer.token_bytes(i)]
    table = pd.DataFrame(
        {
            "token": [visible(tokenizer.token_label(i)) for i in ids],
            "id": ids,
            "n_bytes": [len(tokenizer.token_bytes(i)) for i in ids],
        }
    )
    return table.sort_values(["n_bytes", "id"], ascending=[False, True], ignore_index=True)


class Misread(NamedTuple):
    """Ids of another vocabulary, decoded.

    Attributes
    ----------
    text : the decoded text; invalid bytes as `<0xEC>`, unknown ids as `⟦50300⟧`.
    n_known : number of ids in the vocabulary.
    """

    text: str
    n_known: int


def misread(reader: Tokenizer, ids: Sequence[int]) -> Misread:
    """Decode ids of any origin with a tokenizer."""
    parts: list[str] = []
    n_known = 0
    for is_known, run in groupby(ids, lambda token_id: _has(reader, token_id)):
        if is_known:
            known = list(run)
            n_known += len(known)
            parts.append(visible(reader.decode(known)))
        else:
            parts += [f"⟦{token_id}⟧" for token_id in run]
    return Misread("".join(parts), n_known)


def _has(tokenizer: Tokenizer, token_id: int) -> bool:
    if not 0 <= token_id < tokenizer.vocab_size:
        return False
    # Rank files may skip ids.
    return bool(tokenizer.token_bytes(token_id)) or tokenizer.token_label(token_id) != f"<unused {token_id}>"


def code_costs(tokenizers: Mapping[str, Tokenizer], lines: Sequence[str]) -> pd.DataFrame:
    """The cost of source code under each tokenizer, by name.

    Columns: name, vocab_size, tokens, per_line, characters (per token), indentation (white-space tokens), round_trip
    (share of the lines that decode to themselves).
    """
    sizes = units_per_line(lines, "bytes")
    begin = np.cumsum(sizes) - sizes
    indented = begin + units_per_line([line[: len(line) - len(line.lstrip())] for line in lines], "bytes")
    rows = []
    for name, tokenizer in tokenizers.items():
        encoded = encode_lines(tokenizer, lines)
        inside = encoded.end <= np.repeat(indented, encoded.per_line)
        rows.append(
            {
                "name": name,
                "vocab_size": tokenizer.vocab_size,
                "tokens": encoded.n_tokens,
                "per_line": encoded.n_tokens / len(lines),
                "characters": sum(map(len, lines)) / max(1, encoded.n_tokens),
                "indentation": int(inside.sum()),
                "round_trip": round_trip(encoded).value,
            }
        )
    return pd.DataFrame(rows)
