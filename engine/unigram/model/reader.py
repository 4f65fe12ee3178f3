"""Reading the native model file; see `writer` for the format."""

import hashlib
import json
import math
from typing import Any

import numpy as np

from engine.config import N_BYTES, UNIGRAM_ALGORITHMS, TrainingSettings
from engine.model_rules import demand, is_count, read_model, stored_settings
from engine.pretokenization import stored_pretokenizer
from engine.progress import Progress
from engine.pruning_rounds import Histogram, Round
from engine.pruning_scores import LEAST_LOG_PROB, pruning_score
from engine.unigram.model.model import Model, assign_ids
from engine.unigram.model.packing import from_differences, unpack
from engine.unigram.model.writer import COMPACT, MAGIC, SCORE_COLUMN, VERSION

_DIGEST = 32
_MOST_HEADER = 8_000_000  # bytes; parsed, they take about twenty times as much
_MOST_ROUNDS = 32_767  # died_in_round is an int16
_FIELDS = {"version", "settings", "corpus", "rounds", "arrays"}
_TOKEN_ARRAYS = {"blob": "uint8", "size": "uint8", "died_in_round": "int16", "ids": "int32"}
_MOST_BINS = 4096  # two for each power of two in the range of float64
_MOST_UNPACKED = 100_000_000  # bytes of a compact model's arrays; a shipped one has a tenth
_TABLE = "pretokenizer"
# Missing in older files, and in all that of SuperBPE.
_LATER_SETTINGS = {"seed_factor": TrainingSettings.seed_factor, "transition": TrainingSettings.transition}
_MOST_BYTES = 4  # per character
_WORD = 8
# Masks of the first 0 to 8 bytes of a word.
_LEADING = np.array([(1 << 64) - (1 << 8 * (_WORD - n)) for n in range(_WORD + 1)], dtype=np.uint64)
_ROUNDING = 1e-9
_MOST_EXPECTED = 1e12


def model_from_bytes(data: bytes) -> Model:
    """The model in the content of a file; see `engine.model_rules.read_model`."""
    header_at = len(MAGIC) + 8
    size = int.from_bytes(data[len(MAGIC) : header_at], "little")

    def parse() -> tuple[dict[str, Any], bool]:
        demand(size <= _MOST_HEADER, "header")
        header = json.loads(data[header_at : header_at + size])
        return header, hashlib.sha256(data[:-_DIGEST]).digest() == data[-_DIGEST:]

    def build(header: dict[str, Any]) -> Model:
        return _model(header, data[header_at + size : -_DIGEST], header["version"] == COMPACT)

    return read_model(data, MAGIC, VERSION, parse, build)


def _model(header: dict[str, Any], body: bytes, is_compact: bool) -> Model:
    fields = _FIELDS | ({"histograms"} if is_compact else set())
    demand(set(header) == fields, "header")
    settings = _settings(header["settings"])
    n_rounds = len(header["rounds"])
    demand(0 < n_rounds <= _MOST_ROUNDS, "rounds")
    n_special = len(settings["special_tokens"])
    histograms = _histograms(header["histograms"], n_rounds) if is_compact else []
    first = len(histograms)
    score = pruning_score(settings["score"])
    names = ["log_prob", "p", "be", *([SCORE_COLUMN] if score.is_stored else [])]
    if is_compact:
        arrays = _compact_arrays(header["arrays"], body, n_rounds - 1, n_special)
    else:
        arrays = _arrays(header["arrays"], body)
    needed = {*_TOKEN_ARRAYS, *(f"{number}/{name}" for number in range(first, n_rounds) for name in names)}
    demand(set(arrays) - {_TABLE} == needed, "arrays")
    died, ids, blob = arrays["died_in_round"], arrays["ids"], arrays["blob"]
    ptr = _token_ptr(arrays["size"], blob)
    demand(died.size == ids.size == ptr.size - 1, "arrays")
    _require_tokens(blob, ptr, settings["partial_characters"])
    removed_here = (died == -1) | ((died >= first) & (died < n_rounds))
    demand(removed_here.all() and (died[:N_BYTES] == -1).all(), "died_in_round")
    is_permutation = np.array_equal(np.sort(ids[died == -1]), n_special + np.arange((died == -1).sum()))
    demand(is_permutation and (ids[died != -1] == -1).all(), "ids")
    rounds = []
    for number, report in enumerate(header["rounds"]):
        if number < first:
            # The file has only the number of tokens of early rounds: that of the next round plus those removed.
            after = header["rounds"][number + 1]["vocab_size"]
            size, n_removed = report["vocab_size"], report["n_removed"]
            demand(is_count(size) and is_count(n_removed) and size - n_removed == after, f"rounds.{number}")
            nothing = np.empty(0)
            early = _report(report, number, size, n_removed)
            rounds.append(Round(early, nothing, nothing, nothing, None, histograms[number]))
            continue
        alive = int(((died == -1) | (died >= number)).sum())
        checked = _report(report, number, alive + n_special, int((died == number).sum()))
        log_prob, p, be = (arrays[f"{number}/{name}"] for name in names[:3])
        entry = Round(checked, log_prob, p, be, arrays.get(f"{number}/{SCORE_COLUMN}"))
        _require_columns(entry, alive, settings["membership"])
        rounds.append(entry)
    corpus = header["corpus"]
    is_corpus = is_count(corpus["units"]) and is_count(corpus["words"]) and _is_fingerprint(corpus["sha256"])
    demand(is_corpus, "corpus")
    table = arrays[_TABLE].tobytes().decode() if _TABLE in arrays else None
    pretokenizer = stored_pretokenizer(settings["pretokenizer"], table)
    return Model(
        TrainingSettings(**settings),
        blob,
        ptr,
        died,
        ids,
        rounds,
        corpus["units"],
        corpus["words"],
        corpus["sha256"],
        pretokenizer,
        first,
    )


def _settings(fields: dict[str, Any]) -> dict[str, Any]:
    """The settings as TrainingSettings takes them."""
    fields = stored_settings(_LATER_SETTINGS | fields, TrainingSettings)
    demand(fields["algorithm"] in UNIGRAM_ALGORITHMS, "settings.algorithm")
    return fields


def _arrays(listing: list[list[Any]], body: bytes) -> dict[str, np.ndarray]:
    """The arrays by name. The sizes in the header are checked against the file before anything is allocated."""
    end = 0
    for name, dtype, size in listing:
        expected = _dtype_of(name)
        demand(dtype == expected and is_count(size), f"arrays.{name}")
        end += np.dtype(dtype).itemsize * size
    demand(end == len(body), "arrays")
    arrays = {}
    at = 0
    for name, dtype, size in listing:
        kind = np.dtype(dtype)
        column = np.frombuffer(body, dtype=kind.newbyteorder("<"), count=size, offset=at)
        arrays[name] = column.astype(kind)
        at += column.nbytes
    demand(len(arrays) == len(listing), "arrays")
    return arrays


def _compact_arrays(listing: list[list[Any]], body: bytes, last: int, n_special: int) -> dict[str, np.ndarray]:
    """The arrays of a compact model, decoded as in a whole model."""
    for name, dtype, size in listing:
        is_difference = "/" in name and not name.startswith(f"{last}/")
        expected = "uint32" if is_difference else _dtype_of(name)
        demand(dtype == expected and is_count(size), f"arrays.{name}")
    n_bytes = sum(np.dtype(dtype).itemsize * size for _, dtype, size in listing)
    demand(n_bytes <= _MOST_UNPACKED, "arrays")
    unpacked = unpack(body, [(dtype, size) for _, dtype, size in listing])
    arrays = {name: array for (name, _, _), array in zip(listing, unpacked, strict=True)}
    demand(len(arrays) == len(listing), "arrays")
    died = arrays["died_in_round"]
    for name in [name.removeprefix(f"{last}/") for name in arrays if name.startswith(f"{last}/")]:
        final = arrays[f"{last}/{name}"]
        stored = {n: arrays[f"{n}/{name}"] for n in range(last) if f"{n}/{name}" in arrays}
        arrays |= {f"{n}/{name}": column for n, column in from_differences(stored, final, died).items()}
    arrays["ids"] = assign_ids(died, arrays[f"{last}/log_prob"], n_special)
    return arrays


def _dtype_of(name: str) -> str:
    return _TOKEN_ARRAYS.get(name, "uint8" if name == _TABLE else "float64")


def _histograms(rounds: list[dict[str, Any]], n_rounds: int) -> list[dict[str, Histogram]]:
    demand(isinstance(rounds, list) and 0 < len(rounds) < n_rounds - 1, "histograms")
    return [{name: _histogram(fields) for name, fields in columns.items()} for columns in rounds]


def _histogram(fields: dict[str, Any]) -> Histogram:
    one = Histogram(fields["first"], tuple(fields["kept"]), tuple(fields["removed"]))
    fits = (
        set(fields) == set(Histogram._fields)
        and is_count(one.first)
        and one.first + len(one.kept) <= _MOST_BINS
        and len(one.kept) == len(one.removed)
        and all(map(is_count, (*one.kept, *one.removed)))
    )
    demand(fits, "histograms")
    return one


def _token_ptr(size: np.ndarray, blob: np.ndarray) -> np.ndarray:
    demand((size > 0).all() and size.sum(dtype=np.int64) == blob.size, "size")
    return np.concatenate([[0], np.cumsum(size, dtype=np.int64)])


def _require_tokens(blob: np.ndarray, ptr: np.ndarray, partial_characters: bool) -> None:
    are_bytes = ptr.size > N_BYTES and ptr[N_BYTES] == N_BYTES and (blob[:N_BYTES] == np.arange(N_BYTES)).all()
    demand(are_bytes, "blob")
    blob, ptr = blob[N_BYTES:], ptr[N_BYTES:] - N_BYTES
    sizes = np.diff(ptr)
    demand((sizes > 1).all() and _are_ascending(blob, ptr), "blob")
    if partial_characters:  # a token that is too short for a character need not be whole ones
        is_whole = sizes >= _MOST_BYTES
        blob, sizes = blob[np.repeat(is_whole, sizes)], sizes[is_whole]
        ptr = np.concatenate([[0], np.cumsum(sizes)])
    # The text of all tokens, where none begins inside a character.
    demand((blob[ptr[:-1]] & 0xC0 != 0x80).all(), "blob")
    try:
        blob.tobytes().decode()
    except UnicodeDecodeError:
        demand(False, "blob")


def _are_ascending(blob: np.ndarray, ptr: np.ndarray) -> bool:
    """Whether every token, `blob[ptr[k] : ptr[k + 1]]`, is less than the next one, as bytes."""
    padded, sizes = np.append(blob, np.zeros(_WORD, dtype=np.uint8)), np.diff(ptr)
    words = np.ndarray(blob.size + 1, ">u8", padded, strides=(1,))

    def word(rows: np.ndarray, at: int) -> np.ndarray:
        """The bytes from `at` on as a number, with zeros after the end of the token."""
        found = words[np.minimum(ptr[rows] + at, blob.size)]
        return found.astype(np.uint64) & _LEADING[np.clip(sizes[rows] - at, 0, _WORD)]

    rows, at = np.arange(sizes.size - 1), 0
    while rows.size:
        one, next_one = word(rows, at), word(rows + 1, at)
        at += _WORD
        is_tie = one == next_one
        is_over = is_tie & (np.maximum(sizes[rows], sizes[rows + 1]) <= at)
        if (one > next_one).any() or (sizes[rows] >= sizes[rows + 1])[is_over].any():
            return False
        rows = rows[is_tie & ~is_over]
    return True


def _report(report: dict[str, Any], number: int, vocab_size: int, n_removed: int) -> Progress:
    real = [report["objective"], report["n_tokens"], 0.0 if report["threshold"] is None else report["threshold"]]
    fits = (
        set(report) == set(Progress._fields)
        and [report["number"], report["vocab_size"], report["n_removed"]] == [number, vocab_size, n_removed]
        and type(report["is_last"]) is bool
        and all(type(one) in (int, float) and math.isfinite(one) for one in real)
    )
    demand(fits, f"rounds.{number}")
    return Progress(**report)


def _require_columns(entry: Round, n_alive: int, membership: str) -> None:
    # The expected count of a token in a sentence may exceed 1.
    highest = 1 + _ROUNDING if membership == "inclusion" else _MOST_EXPECTED
    largest = np.finfo(np.float64).max
    ranges = ((LEAST_LOG_PROB, 0), (0, highest), (-_ROUNDING, _MOST_EXPECTED), (-largest, largest))
    for name, column, (low, high) in zip(Round._fields[1:5], entry[1:5], ranges, strict=True):
        fits = column is None or (column.size == n_alive and ((column >= low) & (column <= high)).all())  # not nan
        demand(fits, name)


def _is_fingerprint(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")
