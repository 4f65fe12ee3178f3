"""Files of every kind with values at their extremes: refused in one sentence, or harmless whatever is done."""

import base64
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli import main
from engine.errors import ModelFileError
from engine.interop.sentencepiece.proto import NORMAL, UNKNOWN, ModelPiece, SentencePieceProto, write_proto
from engine.merges.vocabulary import bytes_label
from engine.unigram.model.reader import model_from_bytes
from engine.unigram.model.writer import MAGIC
from tests.conftest import ROOT
from tests.engine.merges.test_merge_model_file import changed, models
from tests.engine.unigram.test_trainer import sentences, trained
from tests.hostile_models import KINDS, hostile_file, native, unpacked, use

# Bytes at the borders of what UTF-8 allows.
_BORDERS = [[b] for b in (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF)]


@pytest.mark.slow
def test_a_thousand_files() -> None:
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)  # that of kernels without the checks
    command = [sys.executable, "-m", "tests.hostile_models", "1000", "2"]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr[-3000:]
    assert found.stdout.startswith("1,000 files")


def test_the_generator_makes_the_same_files_again_and_some_are_accepted() -> None:
    for kind in KINDS:
        files = [hostile_file(kind, random.Random(seed)) for seed in range(8)]
        assert files == [hostile_file(kind, random.Random(seed)) for seed in range(8)]
        assert any(use(kind, data) for data in files), kind


def _labelled_one_by_one(data: bytes) -> str:
    text = ""
    while data:
        length = next((n for n in range(4, 0, -1) if len(data) >= n and _is_character(data[:n])), 0)
        text += data[:length].decode() if length else f"<0x{data[0]:02X}>"
        data = data[length or 1 :]
    return text


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


@given(
    st.lists(st.sampled_from([b"a", "é".encode(), "가".encode(), "😀".encode(), *map(bytes, _BORDERS)])).map(b"".join)
)
def test_bytes_of_no_character_are_written_as_each_alone(data: bytes) -> None:
    assert bytes_label(data) == _labelled_one_by_one(data)


_Arrays = dict[str, np.ndarray]


def _set(name: str, value: float, at: int | slice = -1) -> Callable[[dict[str, Any], _Arrays], None]:
    def change(_: dict[str, Any], arrays: _Arrays) -> None:
        arrays[name][at] = value

    return change


def _typed(name: str, dtype: type) -> Callable[[dict[str, Any], _Arrays], None]:
    def change(_: dict[str, Any], arrays: _Arrays) -> None:
        arrays[name] = arrays[name].astype(dtype)

    return change


def _repeated_token(_: dict[str, Any], arrays: _Arrays) -> None:
    # The last two tokens become the one before the last, of the size that both have together.
    size = int(arrays["size"][-2])
    last = arrays["blob"][arrays["blob"].size - int(arrays["size"][-1]) - size :][:size].copy()
    arrays["blob"] = np.concatenate([arrays["blob"][: arrays["blob"].size - int(arrays["size"][-1])], last])
    arrays["size"][-1] = size


def _no_sizes(_: dict[str, Any], arrays: _Arrays) -> None:
    arrays["size"][-2:] = 0, int(arrays["size"][-2:].sum())


def _report(name: str, value: object) -> Callable[[dict[str, Any], _Arrays], None]:
    def change(header: dict[str, Any], _: _Arrays) -> None:
        header["rounds"][0][name] = value

    return change


def _header(name: str, value: object) -> Callable[[dict[str, Any], _Arrays], None]:
    def change(header: dict[str, Any], _: _Arrays) -> None:
        header[name] = value

    return change


_EVERY = slice(None)
_NATIVE = {
    "every log probability -1e308": (_set("0/log_prob", -1e308, _EVERY), "(log_prob)"),
    "every log probability 700": (_set("0/log_prob", 700, _EVERY), "(log_prob)"),
    "a log probability that is none": (_set("0/log_prob", np.nan), "(log_prob)"),
    "P of 2": (_set("0/p", 2), "(sentence_prob)"),
    "P below 0": (_set("0/p", -0.1), "(sentence_prob)"),
    "negative BE": (_set("0/be", -1), "(branching_entropy)"),
    "infinite BE": (_set("0/be", np.inf), "(branching_entropy)"),
    "a token without bytes": (_no_sizes, "(size)"),
    "negative sizes": (_typed("size", np.int16), "(arrays.size)"),
    "blob of large values": (_typed("blob", np.int64), "(arrays.blob)"),
    "float ids": (_typed("ids", np.float64), "(arrays.ids)"),
    "ids twice": (_set("ids", 0), "(ids)"),
    "a token twice": (_repeated_token, "(blob)"),
    "a token that is no UTF-8": (_set("blob", 0xFF), "(blob)"),
    "bytes out of order": (_set("blob", 7, 0), "(blob)"),
    "a round that there is not": (_set("died_in_round", 99), "(died_in_round)"),
    "a report of other tokens": (_report("vocab_size", 5), "(rounds.0)"),
    "a report that is infinite": (_report("objective", float("inf")), "(rounds.0)"),
    "a report of truth": (_report("n_removed", True), "(rounds.0)"),
    "no rounds": (_header("rounds", []), "(rounds)"),
    "counts that are none": (_header("corpus", {"units": 1.5, "words": 1, "sha256": "0" * 64}), "(corpus)"),
}


def _native_files() -> dict[str, tuple[bytes, str]]:
    data = trained(sentences(80), vocab_size=290).to_bytes()
    made = {}
    for name, (change, sentence) in _NATIVE.items():
        header, arrays = unpacked(data)
        change(header, arrays)
        made[name] = native(header, arrays), sentence
    return made


def _merge_files() -> dict[str, tuple[bytes, str]]:
    def columns(**changes: Any) -> bytes:
        merges = models()["bpe"]._content()["merges"]
        for name, value in changes.items():
            merges[name][1] = value
        return changed("bpe", merges=merges)

    merges = models()["bpe"]._content()["merges"]
    twice = {name: [*column, column[-1]] for name, column in merges.items()}
    n_first = models()["bpe"].n_first
    doubled = {name: [*column[:1]] * 60 for name, column in merges.items()}
    doubled["left"] = doubled["right"] = [n_first - 2, *range(n_first, n_first + 59)]
    return {
        "float ids of merges": (columns(left=1.0), "(merges.left)"),
        "merges of what comes later": (columns(right=10**6), "(merges.right)"),
        "counts below 0": (columns(frequency=-1), "(merges.frequency)"),
        "scores that are infinite": (columns(score=float("inf")), "(merges.score)"),
        "a pair twice": (changed("bpe", merges=twice), "(merges)"),
        "sixty doublings": (changed("bpe", merges=doubled), "(merges)"),
        "a word twice": (changed("words", words=["a", "a"], counts=[1, 1]), "(words or characters)"),
        "counts that are true": (changed("words", words=["a"], counts=[True]), "(counts)"),
        "a count of any size": (changed("words", words=["a"], counts=[2**63]), "(counts)"),
    }


def _other_files() -> dict[str, tuple[bytes, str]]:
    def unigram(entry: str) -> bytes:
        return f'{{"model": {{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], {entry}]}}}}'.encode()

    def pieces(*more: ModelPiece, charsmap: bytes = b"") -> bytes:
        return write_proto(
            SentencePieceProto([ModelPiece("<unk>", 0.0, UNKNOWN), *more], normalizer="x", charsmap=charsmap)
        )

    ranks = [f"{line} {rank}" for rank, line in enumerate(_base64_bytes())]
    double = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    vocabulary = {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1}}
    doubling = json.dumps({"decoder": {"type": "Sequence", "decoders": [double] * 60}, "model": vocabulary}).encode()
    return {
        "a decoder that doubles": (doubling, "changes a text of"),
        "a score of 1e8": (unigram('["a", 1e8]'), "between -10,000,000 and 10,000,000"),
        "a score of 1e999": (unigram('["a", 1e999]'), "between -10,000,000 and 10,000,000"),
        "a score of 401 digits": (unigram('["a", 1' + "0" * 400 + "]"), "between -10,000,000 and 10,000,000"),
        "a long token": (unigram(f'["{"a" * 1025}", -1.0]'), "tokens of up to 1,024 characters"),
        "a token twice in JSON": (unigram('["a", -1.0], ["a", -2.0]'), "repeats the token 'a'"),
        "an id of truth": (b'{"model": {"type": "WordPiece", "vocab": {"[UNK]": true}}}', "is not valid"),
        "an id far away": (b'{"model": {"type": "WordPiece", "vocab": {"[UNK]": 2000000}}}', "complete"),
        "merges of nothing": (
            b'{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}',
            "not in the vocabulary",
        ),
        "an infinite piece": (pieces(ModelPiece("a", float("inf"), NORMAL)), "outside -10,000,000 to 10,000,000"),
        "a huge piece": (pieces(ModelPiece("a", -3e38, NORMAL)), "outside -10,000,000 to 10,000,000"),
        "a piece twice": (pieces(ModelPiece("a", -1.0, NORMAL), ModelPiece("a", -1.0, NORMAL)), "the same piece twice"),
        "a map that is none": (
            pieces(charsmap=struct.pack("<I", 2**31) + b"a\0"),
            "normalization rules cannot be read",
        ),
        "a line twice": (b"[UNK]\na\na\n", "are both 'a'"),
        "a rank far away": ("\n".join([*ranks[:-1], "/w== 2000000"]).encode(), "the ranks go up to 2,000,000"),
        "a rank twice": ("\n".join([*ranks, "YWE= 7"]).encode(), "repeats a token or a rank"),
    }


def _base64_bytes() -> list[str]:
    return [base64.b64encode(bytes([byte])).decode() for byte in range(256)]


def test_the_command_line_refuses_each_hostile_file_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, model = tmp_path / "text.txt", tmp_path / "model"
    text.write_text("그 말은 a b", encoding="utf-8")
    for name, (data, sentence) in (_native_files() | _merge_files() | _other_files()).items():
        model.write_bytes(data)
        assert main(["encode", "--model", str(model), str(text)]) == 2, name
        written = capsys.readouterr()
        assert not written.out and written.err.count("\n") == 1, name
        assert sentence in written.err, f"{name}: {written.err}"


def test_nothing_is_allocated_for_a_count_that_the_file_does_not_hold() -> None:
    header, arrays = unpacked(trained(sentences(80), vocab_size=290).to_bytes())
    whole = native(header, arrays)
    size = f'["blob", "uint8", {arrays["blob"].size}]'.encode()
    assert size in whole
    claimed = size.replace(str(arrays["blob"].size).encode(), str(2**40).encode())
    content = whole[:-32].replace(size, claimed)
    at = len(MAGIC)
    n_header = int.from_bytes(content[at : at + 8], "little") + len(claimed) - len(size)
    content = content[:at] + n_header.to_bytes(8, "little") + content[at + 8 :]
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=r"inconsistent \(arrays\)"):
        model_from_bytes(content + hashlib.sha256(content).digest())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000
