"""The native model file: a vocabulary with its rounds and a checksum.

Layout: the magic line, the length of the header (8 bytes, little-endian), the header (JSON), the arrays in the order of
the header (little-endian), and the SHA-256 of everything before it. The file contains no time, path or thread count:
the same corpus and settings give the same bytes. `reader` reads it.

Whole models have version 1. Compact models have version 2: the arrays are compressed (see `packing`), ids are omitted
since they follow from the last round, and columns of the rounds before the last are differences to the next round.
"""

import hashlib
import json
from collections.abc import Iterator

import numpy as np

from engine.config import stored_settings
from engine.tokenizer import PrunedTokenizer
from engine.unigram.model.packing import differences, pack

MAGIC = b"thunder-tok model\n"
WHOLE, COMPACT = 1, 2
VERSION = COMPACT  # the newest
# Column of a round's scores, if stored; named after the first such score, the likelihood loss.
SCORE_COLUMN = "loss"


def model_parts(model: PrunedTokenizer) -> Iterator[bytes]:
    """The content of the file in chunks, so that a large model is never in memory twice."""
    is_compact = model.first_round > 0
    arrays: list[tuple[str, np.ndarray]] = [
        ("blob", model.blob),
        ("size", np.diff(model.ptr).astype(np.uint8)),
        ("died_in_round", model.died_in_round),
    ]
    if not is_compact:
        arrays.append(("ids", model.ids))
    columns = _columns(model)
    if is_compact:
        columns = {name: {**rounds, **differences(rounds, model.died_in_round)} for name, rounds in columns.items()}
    arrays += [(f"{number}/{name}", columns[name][number]) for number in model.kept_rounds for name in columns]
    if model.pretokenizer.scan is not None:
        arrays.append(("pretokenizer", np.frombuffer(model.pretokenizer.table.encode(), dtype=np.uint8)))
    header = {
        "version": COMPACT if is_compact else WHOLE,
        "settings": stored_settings(model.settings),
        "corpus": {"units": model.corpus_units, "words": model.corpus_words, "sha256": model.corpus_fingerprint},
        "rounds": [report._asdict() for report in model.rounds],
        "arrays": [[name, array.dtype.name, array.size] for name, array in arrays],
    }
    if is_compact:
        early = model.history[: model.first_round]
        header["histograms"] = [{name: one._asdict() for name, one in entry.histograms.items()} for entry in early]
    head = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
    digest = hashlib.sha256()

    def checked(part: bytes) -> bytes:
        digest.update(part)
        return part

    yield checked(MAGIC + len(head).to_bytes(8, "little") + head)
    if is_compact:
        yield checked(pack([array for _, array in arrays]))
    else:
        for _, array in arrays:
            yield checked(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    yield digest.digest()


def _columns(model: PrunedTokenizer) -> dict[str, dict[int, np.ndarray]]:
    """Statistics of the rounds whose tokens are stored, by name and round."""
    stored = {number: model.history[number] for number in model.kept_rounds}
    columns = {
        "log_prob": {number: entry.log_prob for number, entry in stored.items()},
        "p": {number: entry.sentence_prob for number, entry in stored.items()},
        "be": {number: entry.branching_entropy for number, entry in stored.items()},
    }
    scores = {number: entry.score for number, entry in stored.items() if entry.score is not None}
    return columns | ({SCORE_COLUMN: scores} if scores else {})
