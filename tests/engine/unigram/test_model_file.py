"""The native model file: whole, checked, and clear about what is wrong with it."""

import hashlib
import json
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import ModelFileError
from engine.model_files import load_tokenizer
from engine.unigram.model.model import Model
from engine.unigram.model.reader import _require_tokens, model_from_bytes
from engine.unigram.model.writer import MAGIC
from tests.engine.unigram.test_trainer import sentences, trained


@pytest.fixture(scope="module")
def model() -> Model:
    return trained(sentences(80), vocab_size=290, special_tokens=("<s>",), score="ml")


def test_a_saved_model_comes_back_the_same(model: Model, tmp_path) -> None:
    path = tmp_path / "model.tok"
    sha256 = model.save(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    again = load_tokenizer(path)
    assert again.settings == model.settings
    assert again.rounds == model.rounds
    assert again.tokens == model.tokens
    for number in range(len(model.rounds)):
        assert again.round_table(number, include_dead=True).equals(model.round_table(number, include_dead=True))
    text = "그 말은 쀍 <s>"
    assert again.encode(text) == model.encode(text)
    assert again.to_bytes() == model.to_bytes()
    assert load_tokenizer(path).vocab_size == 290
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.tok"]


def _may_be_token(token: bytes, partial_characters: bool) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return partial_characters and 1 < len(token) < 4
    return len(token) > 1


_PARTS = st.sampled_from([b"\0", b"a", b"\xff", "가".encode(), b"\xea", b"\xea\xb0", b"\x80", b"12345678", b"1234567"])


@given(st.lists(st.lists(_PARTS, min_size=1, max_size=4).map(b"".join), max_size=5), st.booleans(), st.booleans())
@example([b"12345678", b"12345678\0"], True, False)  # they differ in what fills up the last word
@example([b"aa", "가".encode()[:2], "가".encode()[2:]], False, False)  # the text of both is whole
def test_tokens_ascend_and_are_text(tokens: list[bytes], is_sorted: bool, partial_characters: bool) -> None:
    if is_sorted:
        tokens = sorted(set(tokens))
    fits = tokens == sorted(set(tokens)) and all(_may_be_token(token, partial_characters) for token in tokens)
    every = [bytes([byte]) for byte in range(256)] + tokens
    blob, ptr = np.frombuffer(b"".join(every), dtype=np.uint8), np.cumsum([0, *map(len, every)])
    with nullcontext() if fits else pytest.raises(ModelFileError, match=r"\(blob\)"):
        _require_tokens(blob, ptr, partial_characters)


def test_a_file_from_before_a_setting_has_its_default(model: Model) -> None:
    data = model.to_bytes()
    settings = vars(model.settings) | {"special_tokens": ["<s>"]}
    del settings["seed_factor"], settings["transition"]
    assert model_from_bytes(_with_header(data, settings=settings)).settings == model.settings
    del settings["shrink"]
    with pytest.raises(ModelFileError, match=r"inconsistent \(settings\)"):
        model_from_bytes(_with_header(data, settings=settings))


def test_the_file_names_no_path_time_or_threads(model: Model) -> None:
    data = model.to_bytes()
    size = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 8], "little")
    header = json.loads(data[len(MAGIC) + 8 : len(MAGIC) + 8 + size])
    assert set(header) == {"arrays", "corpus", "rounds", "settings", "version"}


@pytest.mark.parametrize("at", [0, 5, 20, 60, 3000, -100, -1])
def test_a_flipped_byte_is_noticed(model: Model, at: int) -> None:
    data = bytearray(model.to_bytes())
    data[at] ^= 0x55
    with pytest.raises(ModelFileError):
        model_from_bytes(bytes(data))


@pytest.mark.parametrize("size", [0, 3, 18, 30, 500, -1])
def test_a_truncated_file_is_noticed(model: Model, size: int) -> None:
    with pytest.raises(ModelFileError):
        model_from_bytes(model.to_bytes()[:size])


def _with_header(data: bytes, **changes: object) -> bytes:
    """The file with other header fields and a checksum that fits."""
    at = len(MAGIC) + 8
    size = int.from_bytes(data[len(MAGIC) : at], "little")
    head = json.dumps(json.loads(data[at : at + size]) | changes).encode()
    content = MAGIC + len(head).to_bytes(8, "little") + head + data[at + size : -32]
    return content + hashlib.sha256(content).digest()


def test_a_newer_version_is_named(model: Model) -> None:
    with pytest.raises(ModelFileError, match=r"version 99.*update"):
        model_from_bytes(_with_header(model.to_bytes(), version=99))


@pytest.mark.parametrize(
    "changes",
    [
        {"rounds": []},
        {"arrays": []},
        {"arrays": [["blob", "object", 3]]},
        {"arrays": [["blob", "uint8", 10**15]]},
        {"settings": {}},
        {"settings": {"special_tokens": [], "vocab_size": "many"}},
        {"corpus": None},
    ],
)
def test_a_header_that_lies_is_noticed(model: Model, changes: dict) -> None:
    with pytest.raises(ModelFileError, match="inconsistent"):
        model_from_bytes(_with_header(model.to_bytes(), **changes))


def test_other_files_are_refused(tmp_path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("그 말")
    with pytest.raises(ModelFileError, match="not a supported tokenizer file"):
        load_tokenizer(path)
    with pytest.raises(ModelFileError, match="not a model file of this program"):
        model_from_bytes(path.read_bytes())
    with pytest.raises(ModelFileError, match="cannot read"):
        load_tokenizer(tmp_path / "none")


def test_rounds_out_of_range_are_named(model: Model) -> None:
    with pytest.raises(ValueError, match="rounds 0 to"):
        model.round_table(99)
    with pytest.raises(ValueError, match="ids range from 0"):
        model.token_bytes(290)
    assert np.isin(model.alive_rows(3), model.alive_rows(0)).all()
