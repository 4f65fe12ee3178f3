"""Reading the native model file; see `model_writer` for what is in it."""

import dataclasses
import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.pretokenization import stored_pretokenizer
from engine.unigram.model import Model
from engine.unigram.model_writer import MAGIC, SCORE_COLUMN, VERSION
from engine.unigram.rounds import Round, RoundReport
from engine.unigram.scores import pruning_score
from engine.whole_file import read_file

_DTYPES = ("uint8", "int16", "int32", "int64", "float64")
_DIGEST = 32


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
    score = pruning_score(settings["score"])
    rounds = []
    for number, report in enumerate(header["rounds"]):
        log_prob, p, be = (arrays[f"{number}/{name}"] for name in ("log_prob", "p", "be"))
        _require_numbers(report, number)
        entry = Round(RoundReport(**report), log_prob, p, be, arrays.get(f"{number}/{SCORE_COLUMN}"))
        _require((entry.score is not None) == score.is_stored, f"scores of round {number}")
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
