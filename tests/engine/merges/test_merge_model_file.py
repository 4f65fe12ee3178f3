"""The model files of merges and plain tokenizers: whole, checked, and clear about what is wrong with them."""

import hashlib
import json
from functools import cache

import pytest

from engine.corpus.arrays import count_pretokens
from engine.errors import InputError, ModelFileError
from engine.merge_settings import MergeSettings
from engine.merges import merged, vocabulary
from engine.merges.model_file import MergeModel, merge_model_from_bytes
from engine.merges.model_writer import MAGIC, content_digest
from engine.merges.plain import Utf8Bytes, train_characters, train_words
from engine.merges.trainer import train_merges
from engine.model_files import load_tokenizer
from engine.pretokenization import get_pretokenizer

LINES = ["낮은 낮은 낮은 더 낮은", '새로운 새로운 것 "따옴표" \\ \u2028 😀', "low lowest newer"]

KINDS = ("byte-bpe", "bpe", "symbol", "wordpiece", "words", "characters", "bytes")


@cache
def models() -> dict[str, MergeModel]:
    pretokens = count_pretokens(LINES, get_pretokenizer("whitespace"))
    words = {"pretokenizer": "whitespace", "vocab_size": None, "max_merges": 12}
    return {
        "byte-bpe": train_merges(LINES, MergeSettings(vocab_size=280, special_tokens=("<s>",), ties="lexicographic")),
        "bpe": train_merges(LINES, MergeSettings(algorithm="bpe", end_of_word="</w>", **words)),
        "symbol": train_merges(LINES, MergeSettings(algorithm="bpe", end_of_word="_", mark_place="symbol", **words)),
        "wordpiece": train_merges(
            LINES, MergeSettings(algorithm="wordpiece", continuing="##", score="likelihood", **words)
        ),
        "words": train_words(pretokens, 5),
        "characters": train_characters(pretokens, 9),
        "bytes": Utf8Bytes(),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_comes_back_the_same(kind: str, tmp_path) -> None:
    model = models()[kind]
    path = tmp_path / "model.json"
    sha256 = model.save(path)
    data = path.read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha256
    assert data.startswith(MAGIC)
    again = load_tokenizer(path)
    assert type(again) is type(model)
    assert again.name == model.name and again.tokens == model.tokens
    text = "  낮은 low 새 😀 쀍 "
    assert again.encode(text) == model.encode(text)
    assert again.to_bytes() == data
    if hasattr(model, "history"):
        assert again.settings == model.settings
        assert again.table().equals(model.table())
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_every_flipped_or_missing_byte_is_noticed() -> None:
    data = models()["bpe"].to_bytes()
    for at in [*range(0, len(data) - 1, 61), len(data) - 4]:
        damaged = bytearray(data)
        damaged[at] ^= 0x15
        with pytest.raises(ModelFileError):
            merge_model_from_bytes(bytes(damaged))
        with pytest.raises(ModelFileError):
            merge_model_from_bytes(data[:at])


def changed(model_kind: str, **changes: object) -> bytes:
    """A file with other content and a checksum that fits."""
    content = json.loads(models()[model_kind].to_bytes())
    content.pop("sha256")
    content |= changes
    content["sha256"] = content_digest(content)
    return json.dumps(content, ensure_ascii=False).encode()


def test_a_newer_version_is_named() -> None:
    with pytest.raises(ModelFileError, match=r"version 99.*update"):
        merge_model_from_bytes(changed("bpe", version=99))


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "other"},
        {"kind": "wordpiece"},
        {"settings": {}},
        {"settings": []},
        {"alphabet": None},
        {"alphabet": ["ba", "", "", ""]},
        {"alphabet": ["ab", "", "", "c"]},
        {"alphabet": ["ab"]},
        {"merges": {}},
        {"corpus": {"symbols": "many", "words": 1}},
        {"corpus": None},
    ],
)
def test_parts_that_do_not_fit_together(changes: dict[str, object]) -> None:
    with pytest.raises(ModelFileError):
        merge_model_from_bytes(changed("bpe", **changes))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("left", 10**6),
        ("left", -1),
        ("left", 10**12),
        ("left", "a"),
        ("left", None),
        ("right", [1]),
        ("score", float("nan")),
    ],
)
def test_merges_of_tokens_that_do_not_exist(column: str, value: object) -> None:
    merges = json.loads(models()["bpe"].to_bytes())["merges"]
    merges[column][3] = value
    with pytest.raises(ModelFileError):
        merge_model_from_bytes(changed("bpe", merges=merges))
    merges[column].pop()
    with pytest.raises(ModelFileError):
        merge_model_from_bytes(changed("bpe", merges=merges))


def test_settings_of_another_kind() -> None:
    fields = json.loads(models()["bpe"].to_bytes())["settings"]
    for change in [{"vocab_size": "8"}, {"pretokenizer": "("}, {"special_tokens": [1]}, {"ties": "none"}, {"x": 1}]:
        with pytest.raises(ModelFileError):
            merge_model_from_bytes(changed("bpe", settings=fields | change))


def test_entries_of_plain_tokenizers() -> None:
    for kind, changes in [
        ("words", {"words": ["a", "a"], "counts": [1, 1]}),
        ("words", {"words": [1], "counts": [1]}),
        ("words", {"counts": []}),
        ("words", {"pretokenizer": "("}),
        ("characters", {"characters": 5}),
        ("characters", {"counts": ["x"]}),
    ]:
        with pytest.raises(ModelFileError):
            merge_model_from_bytes(changed(kind, **changes))


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", MAGIC, MAGIC + b"}", MAGIC + b', "version": 1}', b"\xff" * 50])
def test_other_files(data: bytes) -> None:
    with pytest.raises(ModelFileError):
        merge_model_from_bytes(data)


def test_deeply_nested_json() -> None:
    with pytest.raises(ModelFileError):
        merge_model_from_bytes(MAGIC + b', "version": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def test_paths_that_do_not_work(tmp_path) -> None:
    with pytest.raises(ModelFileError, match="cannot read"):
        load_tokenizer(tmp_path / "none")
    with pytest.raises(InputError, match="cannot write"):
        Utf8Bytes().save(tmp_path / "no" / "folder")


def test_the_same_corpus_gives_the_same_bytes() -> None:
    chosen = MergeSettings(vocab_size=280)
    assert train_merges(LINES, chosen).to_bytes() == train_merges(LINES, chosen).to_bytes()


@pytest.mark.parametrize("algorithm", ["byte-bpe", "wordpiece"])
def test_what_could_not_be_opened_again_is_not_written(algorithm: str, monkeypatch, tmp_path) -> None:
    """A line of megabytes without boundaries has tokens of megabytes; the same limit holds for a file."""
    wordpiece = {"algorithm": "wordpiece", "continuing": "##"} if algorithm == "wordpiece" else {}
    settings = MergeSettings(vocab_size=None, max_merges=40, pretokenizer="none", **wordpiece)
    model = train_merges(["가나다 " * 400], settings)
    data = model.to_bytes()
    first = sum(len(token.surface) + len(token.label.encode()) for token in model.tokens[: model.n_first])
    monkeypatch.setattr(vocabulary, "MOST_BYTES", first + 2000)
    monkeypatch.setattr(merged, "MOST_BYTES", first + 2000)
    path = tmp_path / "model.tok"
    with pytest.raises(InputError, match=r"^the tokens have more than .* bytes together, the limit of a model file"):
        model.save(path)
    assert not [*tmp_path.iterdir()]
    with pytest.raises(ModelFileError, match="inconsistent"):
        merge_model_from_bytes(data)
    model.at(4).save(path)
    assert load_tokenizer(path).tokens == model.at(4).tokens
