"""Every command takes every kind of tokenizer: what it has is there, what it has not is refused in one line."""

import base64
import csv
import io
import json
from codecs import BOM_UTF8
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from engine.cli import main
from engine.config import ALGORITHMS, TrainingSettings
from engine.errors import InputError
from engine.fit.changed import open_editable
from engine.interop.exports import export_tokenizer
from engine.interop.formats import TARGETS, import_tokenizer
from engine.measure.encoded import encode_lines
from engine.model_files import load_tokenizer, tokenizer_from_bytes
from engine.tokenizer import Tokenizer
from engine.training import start_training
from tests.engine.interop.test_huggingface_import import peer
from tests.engine.interop.test_sentencepiece_import import model_file
from tests.engine.unigram.test_trainer import sentences

PRUNED = ["log_prob", "p", "be", "score", "died_in_round"]
MERGED = ["merge", "frequency", "score"]


class Kind(NamedTuple):
    """What a kind of tokenizer has: columns of `tokens`, a lattice, targets that it can be exported to."""

    columns: list[str]
    has_lattice: bool = False
    targets: tuple[str, ...] = ()


KINDS = {
    "thunder-tok": Kind(PRUNED, True, ("hf", "sentencepiece", "vocab")),
    "unigram": Kind(PRUNED, True, ("hf", "sentencepiece", "vocab")),
    "bpe": Kind(MERGED, targets=("hf", "subword-nmt")),
    "bpe mecab": Kind(MERGED, targets=("subword-nmt",)),
    "byte-bpe": Kind(MERGED, targets=("hf", "tiktoken")),
    "superbpe": Kind(MERGED, targets=("hf", "tiktoken")),
    "wordpiece": Kind(MERGED, targets=("hf", "vocab")),
    "words": Kind(["frequency"]),
    "characters": Kind(["frequency"]),
    "bytes": Kind([]),
    "tokenizer.json unigram": Kind(["log_prob"], True, ("vocab",)),
    "tokenizer.json xlm-r": Kind(["log_prob"], True, ("vocab",)),
    "tokenizer.json bpe": Kind(["merge"]),
    "tokenizer.json wordpiece": Kind([], targets=("vocab",)),
    "sentencepiece unigram": Kind(["log_prob"], True, ("vocab",)),
    "sentencepiece bpe": Kind(["score"], targets=("vocab",)),
    "vocab.txt": Kind([], targets=("hf", "vocab")),
    "tiktoken": Kind(["rank"], targets=("hf", "tiktoken")),
    "codes": Kind(["merge"], targets=("hf",)),
}
TRAINED = (*ALGORITHMS, "bpe mecab")
TEXT = "그 말은 abc 쀍"


@cache
def content(kind: str) -> bytes:
    """The file of a tokenizer."""
    if kind in TRAINED:
        pretokenizer = "whitespace" if kind in ("bpe", "wordpiece", "words") else "thunder-tok"
        settings = TrainingSettings(
            algorithm=kind.split()[0],
            vocab_size=300,
            sentencepiece_safe=True,
            min_count=1,
            score="ml" if kind == "unigram" else "be_p",
            pretokenizer="mecab" if "mecab" in kind else pretokenizer,
        )
        training = start_training(sentences(120), settings)
        for _ in training.rounds():
            pass
        return training.model().to_bytes()
    if kind.startswith("sentencepiece"):
        return model_file(kind.split()[1], "defaults")
    if kind == "vocab.txt":
        return "\n".join(["[PAD]", "[UNK]", "[CLS]", "그", "말", "##은", "a", "##bc"]).encode()
    if kind == "codes":
        return "#version: 0.2\n그 은</w>\n말 은</w>\na b\nab c</w>\n".encode()
    if kind == "tokenizer.json xlm-r":
        parts = json.loads(peer("t5").to_str())
        metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
        parts["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
        return json.dumps(parts).encode()
    if kind == "tiktoken":
        tokens = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", "그".encode()[:2], "그".encode()]
        return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    return peer({"unigram": "t5", "bpe": "llama3", "wordpiece": "bert cased"}[kind.split()[1]]).to_str().encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tokenizers")


def saved(folder: Path, kind: str) -> str:
    path = folder / (kind if kind == "vocab.txt" else kind.replace(" ", "-"))
    if not path.exists():
        path.write_bytes(content(kind))
    return str(path)


def run(capsys, *arguments: str) -> str:
    capsys.readouterr()
    code = main(list(arguments))
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def refused(capsys, *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("kind", KINDS)
def test_encode_and_fertility(kind: str, folder: Path, tmp_path: Path, capsys) -> None:
    path = saved(folder, kind)
    text = tmp_path / "text.txt"
    text.write_text(TEXT, encoding="utf-8")
    tokenizer = load_tokenizer(path)
    row = json.loads(run(capsys, "encode", "--model", path, str(text), "--json"))
    assert row["ids"] == tokenizer.encode(TEXT).ids
    assert row["tokens"] == [tokenizer.token_label(token_id) for token_id in row["ids"]]
    assert run(capsys, "encode", "--model", path, str(text)) == "|".join(row["tokens"]) + "\n"
    (measured,) = json.loads(run(capsys, "fertility", "--model", path, "--text", str(text), "--json"))
    assert (measured["tokens"], measured["algorithm"]) == (len(row["ids"]), tokenizer.name)
    assert measured["fertility"] == len(row["ids"]) / len(TEXT.split())


@pytest.mark.parametrize("kind", KINDS)
def test_morphology(kind: str, folder: Path, tmp_path: Path, capsys) -> None:
    path, gold = saved(folder, kind), tmp_path / "gold.tsv"
    gold.write_text("나는\t나+는\n갔다\t가+았+다\n\nabc.\tabc+.\n", encoding="utf-8")
    tokenizer = load_tokenizer(path)
    (row,) = json.loads(run(capsys, "morphology", "--model", path, "--gold", str(gold), "--json"))
    assert (row["model"], row["algorithm"], row["vocab_size"]) == (path, tokenizer.name, tokenizer.vocab_size)
    assert (row["sentences"], row["eojeols"], row["aligned"], row["fused_boundaries"]) == (2, 3, 3, 1)
    # Counted by hand: the places of 나|는, 갔|다 and abc|. in the bytes of their lines.
    hits = cuts = 0
    for line, words in (("나는 갔다", {(0, 6): 3, (7, 13): 10}), ("abc.", {(0, 4): 3})):
        edges = {edge for span in tokenizer.encode(line).spans if span[0] < span[1] for edge in span}
        for (begin, end), boundary in words.items():
            cuts += sum(begin < edge < end for edge in edges)
            hits += boundary in edges
    assert row["precision"] == (hits / cuts if cuts else None) and row["recall"] == hits / 3
    assert row["f1"] == pytest.approx(2 * hits / (cuts + 3))
    table = run(capsys, "morphology", "--model", path, "--gold", str(gold))
    assert table.split("\n")[1].split("\t")[:2] == [path, str(gold)]


@pytest.mark.parametrize("kind", KINDS)
def test_lattice(kind: str, folder: Path, capsys) -> None:
    command = ("lattice", "--model", saved(folder, kind), "--text", TEXT)
    if not KINDS[kind].has_lattice:
        assert "have no probabilities" in refused(capsys, *command)
        return
    tokenizer = load_tokenizer(saved(folder, kind))
    out = json.loads(run(capsys, *command, "--nbest", "2", "--json"))
    best = [arc for arc in out["arcs"] if arc["best"]]
    assert out["nbest"][0]["tokens"] == [arc["token"] for arc in best]
    ids = [token_id for arc in best for token_id in ([arc["id"]] if arc["id"] is not None else arc["ids"])]
    # Unknown characters beside each other are one token when a text is encoded.
    ids = [b for a, b in zip([None, *ids], ids, strict=False) if not a == b == tokenizer.unknown_id]
    assert ids == tokenizer.encode(TEXT).ids
    assert best[0]["span"][0] == 0 and best[-1]["span"][1] == len(TEXT.encode())
    assert "log Z" in run(capsys, *command)
    if tokenizer.pruning is None:
        assert "has no pruning rounds" in refused(capsys, *command, "--round", "0")
    else:
        assert json.loads(run(capsys, *command, "--round", "0", "--json"))["log_z"] != out["log_z"]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens(kind: str, folder: Path, capsys) -> None:
    path, columns = saved(folder, kind), KINDS[kind].columns
    tokenizer = load_tokenizer(path)
    rows = json.loads(run(capsys, "tokens", "--model", path, "--sort", "id", "--json"))
    assert list(rows[0]) == ["token", "id", *columns, *["unsupported"] * bool(tokenizer.unsupported)]
    assert [row["id"] for row in rows] == list(range(tokenizer.vocab_size))
    assert [row["token"] for row in rows] == [tokenizer.token_label(row["id"]) for row in rows]
    table = run(capsys, "tokens", "--model", path)
    assert table.split("\n")[0].split("\t")[0] == "id" and table.split("\n")[0].endswith("token")
    for column in ("score", "p", "be", "log_prob", "frequency", "merge", "rank"):
        if column not in columns:
            assert f"have no {column}" in refused(capsys, "tokens", "--model", path, "--sort", column)
            continue
        values = [row[column] for row in json.loads(run(capsys, "tokens", "--model", path, "--sort", column, "--json"))]
        known = [value for value in values if value is not None]
        assert known and known == sorted(known, reverse=column not in ("merge", "rank"))
        assert values == known + [None] * (len(values) - len(known))
    if tokenizer.pruning is None:
        for option in (("--round", "0"), ("--all",)):
            assert "has no pruning rounds" in refused(capsys, "tokens", "--model", path, *option)
    else:
        assert len(json.loads(run(capsys, "tokens", "--model", path, "--round", "0", "--json"))) > len(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_export(kind: str, folder: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("engine.interop.exports.fuzz_lines", lambda n, *texts: sentences(20))
    for target in TARGETS:
        command = ("export", "--model", saved(folder, kind), "--to", target, "--output", str(tmp_path / target))
        takes = target == "tsv" or target in KINDS[kind].targets
        if takes:
            run(capsys, *command, "--profile", "byte-fallback" if kind in ("thunder-tok", "unigram") else "byte-level")
        else:
            assert "; " in refused(capsys, *command)  # what to do instead
        assert (tmp_path / target).exists() == takes


@pytest.mark.slow
def test_files_that_hold_less_become_a_tokenizer_json_that_encodes_the_same() -> None:
    ranks = b"".join(
        base64.b64encode(token) + b" %d\n" % rank
        for rank, token in enumerate(
            [*(bytes([byte]) for byte in range(256)), b"aaa", b"aa", b"abc", b"xy", b"yz", b"xyz"]
        )
    )
    for data in (content("vocab.txt"), content("vocab.txt") + "\n한\nA\n".encode(), content("codes"), ranks):
        report = export_tokenizer(
            tokenizer_from_bytes(data), "hf", ["aaaaa xyzxy abcd", "그은 말은"], n_fuzz=1500
        ).report
        assert report.mismatches == 0 and report.checked_lines >= 1500
    # And back, where text is cut as BERT cuts it.
    made = export_tokenizer(tokenizer_from_bytes(content("vocab.txt")), "hf", n_fuzz=100).data
    assert export_tokenizer(tokenizer_from_bytes(made), "vocab", n_fuzz=500).data == content("vocab.txt") + b"\n"
    with pytest.raises(InputError, match="not exported"):
        export_tokenizer(tokenizer_from_bytes(made.replace(b'"lowercase": false', b'"lowercase": true')), "vocab")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith(("tok", "voc", "tik", "cod"))])
def test_a_text_file_as_windows_writes_it_is_the_same_tokenizer(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(BOM_UTF8 + content(kind).replace(b"\n", b"\r\n"))
    read, expected = load_tokenizer(path, "gpt2" if kind == "tiktoken" else None), import_tokenizer(content(kind))
    assert read.name == expected.name and read.encode("abc 그 말은").ids == expected.encode("abc 그 말은").ids
    if kind in ("tokenizer.json unigram", "tokenizer.json bpe", "tiktoken"):
        assert open_editable(path).tokenizer.vocab_size == expected.vocab_size


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_tokens(kind: str, folder: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "tokens.tsv"
    run(capsys, "export", "--model", saved(folder, kind), "--to", "tsv", "--output", str(path))
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter="\t", strict=True))
    tokenizer = load_tokenizer(saved(folder, kind))
    assert [row["id"] for row in rows] == [str(token_id) for token_id in range(tokenizer.vocab_size)]
    names = [name.removesuffix("_nats") for name in rows[0]]
    assert names[:3] == ["id", "token", "marked"] and set(names[3:]) >= {*KINDS[kind].columns} - {"died_in_round"}
    for token_id, row in enumerate(rows):
        surface = tokenizer.token_bytes(token_id).decode(errors="ignore")
        assert not row["token"].startswith(("=", "+", "-", "@"))
        if surface.isprintable() and surface and "<0x" not in row["token"]:
            assert row["token"].removeprefix("'") == surface.removeprefix("'"), row
        assert " " not in row["marked"]
    if tokenizer.pruning is not None:
        assert "frequency" in names and any(row["token"].startswith(" ") for row in rows)
        assert any(row["marked"].startswith("▁") for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_what_any_tokenizer_answers(kind: str, tmp_path: Path) -> None:
    tokenizer: Tokenizer = tokenizer_from_bytes(content(kind), kind)
    lines = ["그 말은", "", "abc 쀍"]
    batch = tokenizer.encode_lines(lines)
    encodings = [tokenizer.encode(line) for line in lines]
    assert batch.ids.tolist() == [token_id for encoding in encodings for token_id in encoding.ids]
    assert np.diff(batch.line_ptr).tolist() == [len(encoding.ids) for encoding in encodings]
    assert encode_lines(tokenizer, lines).n_tokens == batch.ids.size
    for name, values in tokenizer.statistics().items():
        assert values.shape == (tokenizer.vocab_size,)
        assert values.dtype == (np.int64 if name in ("merge", "frequency", "rank") else np.float64)
    if tokenizer.unknown_id is not None:
        assert not tokenizer.token_bytes(tokenizer.unknown_id)
    assert all(tokenizer.token_label(token_id) == text for text, token_id in tokenizer.special_tokens.items())
    if kind in TRAINED:
        digest = tokenizer.save(tmp_path / "again")
        assert load_tokenizer(tmp_path / "again").to_bytes() == content(kind)
        assert tokenizer.save(tmp_path / "again") == digest
    else:
        with pytest.raises(InputError, match="imported from another program's file"):
            tokenizer.save(tmp_path / "again")
        assert not list(tmp_path.iterdir())


def test_views_of_merges() -> None:
    for kind in ("bpe", "byte-bpe", "superbpe", "wordpiece"):
        tokenizer = tokenizer_from_bytes(content(kind))
        merges = tokenizer.merges
        assert merges is not None and merges.n_merges > 20
        made = merges.table()["token"].tolist()
        statistics = tokenizer.statistics()
        for token_id in range(tokenizer.vocab_size):
            number = statistics["merge"][token_id]
            assert number == max(-1, token_id - merges.n_first + 1) or number == -1
            assert number < 1 or made[number - 1] == tokenizer.token_label(token_id)
        few = merges.at(20)
        assert merges.encode_after(20, TEXT) == few.encode(TEXT)
        assert merges.encode_after(merges.n_merges, TEXT) == tokenizer.encode(TEXT)
        with pytest.raises(InputError, match="there are"):
            merges.encode_after(merges.n_merges + 1, TEXT)
        text = tokenizer.training_text
        assert text is not None and text.n_words == sum(len(line.split()) for line in sentences(120))
        assert text.n_tokens == sum(len(tokenizer.encode(line).ids) for line in sentences(120)) or kind == "wordpiece"


def test_ranks_are_of_byte_level_vocabularies() -> None:
    assert tokenizer_from_bytes(content("bpe")).byte_ranks() is None
    ranks = tokenizer_from_bytes(content("byte-bpe")).byte_ranks()
    assert ranks is not None and sorted(ranks.values()) == list(range(300))
