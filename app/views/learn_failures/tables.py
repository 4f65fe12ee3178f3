"""Unused tokens, ids that are read with another vocabulary, and what source code costs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.parts.tables.tokens import shown
from engine.measure.encoded import encode_lines, units_per_line
from engine.measure.intrinsic import round_trip
from engine.tokenizer import Tokenizer


def unused_tokens(tokenizer: Tokenizer, lines: Iterable[str]) -> pd.DataFrame:
    """Tokens with text that occur in no encoding of the lines. Columns: token (as shown), id, n_bytes; longest first.

    A model that is trained on this text never sees them: their embeddings stay as they were initialised.
    """
    times = np.zeros(tokenizer.vocab_size, dtype=np.int64)
    for line in lines:
        np.add.at(times, tokenizer.encode(line).ids, 1)
    ids = [i for i in np.flatnonzero(times == 0).tolist() if tokenizer.token_bytes(i)]
    table = pd.DataFrame(
        {
            "token": [shown(tokenizer.token_label(i)) for i in ids],
            "id": ids,
            "n_bytes": [len(tokenizer.token_bytes(i)) for i in ids],
        }
    )
    return table.sort_values(["n_bytes", "id"], ascending=[False, True], ignore_index=True)


class Misread(NamedTuple):
    """Ids of another vocabulary, read.

    Attributes
    ----------
    text : what comes out; bytes that make no character as `<0xEC>`, ids that are not there as `⟦50300⟧`.
    n_known : how many of the ids are there.
    """

    text: str
    n_known: int


def misread(reader: Tokenizer, ids: Sequence[int]) -> Misread:
    """What a tokenizer makes of ids, whoever wrote them."""
    parts: list[str] = []
    n_known = 0
    for is_known, run in groupby(ids, lambda token_id: _has(reader, token_id)):
        if is_known:
            known = list(run)
            n_known += len(known)
            parts.append(shown(reader.decode(known)))
        else:
            parts += [f"⟦{token_id}⟧" for token_id in run]
    return Misread("".join(parts), n_known)


def _has(tokenizer: Tokenizer, token_id: int) -> bool:
    if not 0 <= token_id < tokenizer.vocab_size:
        return False
    # Files of ranks may leave ids out between their tokens.
    return bool(tokenizer.token_bytes(token_id)) or tokenizer.token_label(token_id) != f"<unused {token_id}>"


def code_costs(tokenizers: Mapping[str, Tokenizer], lines: Sequence[str]) -> pd.DataFrame:
    """What source code costs under each tokenizer, by its name.

    Columns: name, vocab_size, tokens, per_line, characters (a token), indentation (tokens of nothing else), round_trip
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
