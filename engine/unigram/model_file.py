"""The native model file: a vocabulary with all its rounds, in one file that anybody can check.

Layout: the magic line, the length of the header (8 bytes, little-endian), the header (JSON), the arrays one behind
the other as the header lists them (little-endian), and the SHA-256 of everything before it. The file holds no time,
path or thread count: the same corpus and settings give the same bytes.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.pretokenization import stored_pretokenizer
from engine.unigram.model import Model, Round, RoundReport
from engine.whole_file import read_file, write_whole

MAGIC = b"thunder-tok model\n"
VERSION = 1

_DTYPES = ("uint8", "int16", "int32", "int64", "float64")
_DIGEST = 32


def model_bytes(model: Model) -> bytes:
    """The model as the content of a file."""
    return b"".join(_parts(model))


def _parts(model: Model) -> Iterator[bytes]:
    """The content a part at a time: a large model is never in memory twice."""
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
        if entry.loss is not None:
            arrays.append((f"{number}/loss", entry.loss))
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


def save_model(model: Model, path: str | Path) -> str:
    """Write the model file, whole or not at all; returns the SHA-256 of its bytes (hex).

    Raises
    ------
    InputError : the file cannot be written.
    """
    digest = hashlib.sha256()

    def parts() -> Iterator[bytes]:
        for part in _parts(model):
            digest.update(part)
            yield part

    write_whole(path, parts())
    return digest.hexdigest()


def load_model(path: str | Path) -> Model:
    """Read a model file.

    Raises
    ------
    ModelFileError : it cannot be read, is no model file, is damaged, or is from a newer version.
    """
    return model_from_bytes(read_file(path, ModelFileError))


def model_from_bytes(data: bytes) -> Model:
    """The model in the content of a file; see load_model."""
    if not data.startswith(MAGIC):
        raise ModelFileError(
            "this is not a Thunder-Tok model file; choose a file that 'train' or the app has saved",
            code="model_file.other",
        )
    header_at = len(MAGIC) + 8
    size = int.from_bytes(data[len(MAGIC) : header_at], "little")
    try:
        header = json.loads(data[header_at : header_at + size])
        version = header["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError(
            "the model file is damaged: its header cannot be read; save or copy it again", code="model_file.damaged"
        ) from None
    if isinstance(version, int) and version > VERSION:
        raise ModelFileError(
            "the model file is of version {version}, this program reads versions up to {known}; update the program",
            code="model_file.newer",
            version=version,
            known=VERSION,
        )
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise ModelFileError(
            "the model file is damaged: its checksum does not fit; save or copy it again", code="model_file.checksum"
        )
    try:
        return _model(header, data[header_at + size : -_DIGEST])
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        raise ModelFileError(
            "the model file is inconsistent ({detail}); train the model again",
            code="model_file.inconsistent",
            detail=error if isinstance(error, InputError) else str(error),
        ) from None


def _model(header: dict[str, Any], body: bytes) -> Model:
    settings = _settings(header["settings"])
    arrays = _arrays(header["arrays"], body)
    died, ids, blob = arrays["died_in_round"], arrays["ids"], arrays["blob"]
    ptr = np.concatenate([[0], np.cumsum(arrays["size"], dtype=np.int64)])
    n_rounds = len(header["rounds"])
    n_alive = int((died == -1).sum())
    _require(died.size == ids.size == ptr.size - 1 >= N_BYTES and ptr[-1] == blob.size, "tokens")
    _require(bool((blob[:N_BYTES] == np.arange(N_BYTES)).all()) and bool((died[:N_BYTES] == -1).all()), "bytes")
    _require(bool((died >= -1).all()) and bool((died < n_rounds).all()), "rounds")
    n_special = len(settings["special_tokens"])
    _require(bool((np.sort(ids[ids >= 0]) == n_special + np.arange(n_alive)).all()), "ids")
    rounds = []
    for number, report in enumerate(header["rounds"]):
        log_prob, p, be = (arrays[f"{number}/{name}"] for name in ("log_prob", "p", "be"))
        _require_numbers(report, number)
        entry = Round(RoundReport(**report), log_prob, p, be, arrays.get(f"{number}/loss"))
        alive = int(((died == -1) | (died >= number)).sum())
        _require(all(column is None or column.size == alive for column in entry[1:]), f"round {number}")
        _require(all(column is None or np.isfinite(column).all() for column in entry[1:]), f"round {number}")
        rounds.append(entry)
    _require(n_rounds > 0, "rounds")
    corpus = header["corpus"]
    kinds = {"units": int, "words": int, "sha256": str}
    _require(all(isinstance(corpus[name], kind) for name, kind in kinds.items()), "corpus")
    table = arrays["pretokenizer"].tobytes().decode() if "pretokenizer" in arrays else None
    pretokenizer = stored_pretokenizer(settings["pretokenizer"], table)
    return Model(
        TrainingSettings(**settings), blob, ptr, died, ids, rounds, corpus["units"], corpus["words"], corpus["sha256"],
        pretokenizer,
    )  # fmt: skip


def _settings(fields: dict[str, Any]) -> dict[str, Any]:
    """The settings as TrainingSettings takes them; it looks at values, not at their types."""
    for setting in dataclasses.fields(TrainingSettings):
        kinds = (list,) if setting.name == "special_tokens" else (type(setting.default),)
        value = fields[setting.name]
        _require(isinstance(value, (int, float) if kinds == (float,) else kinds), f"settings ({setting.name})")
    _require(all(isinstance(text, str) for text in fields["special_tokens"]), "special tokens")
    return fields | {"special_tokens": tuple(fields["special_tokens"])}


def _require_numbers(report: dict[str, Any], number: int) -> None:
    whole = [report[name] for name in ("number", "vocab_size", "n_removed")]
    real = [report["objective"], report["n_tokens"], report["threshold"] or 0.0]
    fits = all(isinstance(one, int) for one in whole) and all(isinstance(one, int | float) for one in real)
    _require(fits and all(math.isfinite(one) for one in real), f"round {number}")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"its {what} do not fit together")


def _arrays(listing: list[list[Any]], body: bytes) -> dict[str, np.ndarray]:
    arrays = {}
    at = 0
    for name, dtype, size in listing:
        _require(dtype in _DTYPES and isinstance(size, int) and size >= 0, "arrays")
        kind = np.dtype(dtype).newbyteorder("<")
        end = at + kind.itemsize * size
        _require(end <= len(body), "arrays")
        arrays[name] = np.frombuffer(body[at:end], dtype=kind).astype(np.dtype(dtype), copy=False)
        at = end
    _require(at == len(body), "arrays")
    return arrays
