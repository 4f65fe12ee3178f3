"""The native model file: a vocabulary with all its rounds, in one file that anybody can check.

Layout: the magic line, the length of the header (8 bytes, little-endian), the header (JSON), the arrays one behind
the other as the header lists them (little-endian), and the SHA-256 of everything before it. The file holds no time,
path or thread count: the same corpus and settings give the same bytes. `model_file` reads it.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator

import numpy as np

from engine.tokenizer import PrunedTokenizer

MAGIC = b"thunder-tok model\n"
VERSION = 1
# Column of the scores of a round where they are stored: the likelihood loss was the first that was.
SCORE_COLUMN = "loss"


def model_parts(model: PrunedTokenizer) -> Iterator[bytes]:
    """The content of the file, a part at a time: a large model is never in memory twice."""
    arrays: list[tuple[str, np.ndarray]] = [
        ("blob", model.blob),
        ("size", np.diff(model.ptr).astype(np.uint8)),
        ("died_in_round", model.died_in_round),
        ("ids", model.ids),
    ]
    for number, entry in enumerate(model.history):
        arrays += [
            (f"{number}/log_prob", entry.log_prob),
            (f"{number}/p", entry.sentence_prob),
            (f"{number}/be", entry.branching_entropy),
        ]
        if entry.score is not None:
            arrays.append((f"{number}/{SCORE_COLUMN}", entry.score))
    if model.pretokenizer.scan is not None:
        arrays.append(("pretokenizer", np.frombuffer(model.pretokenizer.table.encode(), dtype=np.uint8)))
    header = {
        "version": VERSION,
        "settings": dataclasses.asdict(model.settings),
        "corpus": {
            "units": model.corpus_units,
            "words": model.corpus_words,
            "sha256": model.corpus_fingerprint,
        },
        "rounds": [report._asdict() for report in model.rounds],
        "arrays": [[name, array.dtype.name, array.size] for name, array in arrays],
    }
    head = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
    digest = hashlib.sha256()

    def checked(part: bytes) -> bytes:
        digest.update(part)
        return part

    yield checked(MAGIC + len(head).to_bytes(8, "little") + head)
    for _, array in arrays:
        yield checked(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    yield digest.digest()
