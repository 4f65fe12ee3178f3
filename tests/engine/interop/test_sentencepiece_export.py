"""A trained vocabulary as a SentencePiece file: identical ids, or a refusal that says why."""

import json
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from engine.cli import main
from engine.config import N_BYTES, TrainingSettings
from engine.errors import InputError
from engine.interop.exports import check_parity, export_tokenizer, fuzz_lines, require_parity
from engine.interop.sentencepiece.exporter import to_sentencepiece
from engine.interop.sentencepiece.proto import BYTE, CONTROL, NORMAL, UNKNOWN, read_proto, write_proto
from engine.interop.vocab_file import read_vocab
from engine.unigram.model.model import Model
from engine.unigram.train.pruning import Holders, pruned_tokens
from engine.unigram.train.trainer import Trainer, build_corpus
from tests.conftest import ROOT


def korean_lines(n: int = 400) -> list[str]:
    folder = ROOT / "assets" / "corpora" / "ko"
    lines = [line for path in sorted(folder.glob("*.txt")) for line in path.read_text("utf-8").split("\n")]
    return lines[:: max(1, len(lines) // n)]


def trained(**settings) -> Model:
    asked = TrainingSettings(**{"vocab_size": 900, "sentencepiece_safe": True, **settings})
    trainer = Trainer(build_corpus(korean_lines(), asked), asked)
    for _ in trainer.rounds():
        pass
    return trainer.model()


@pytest.fixture(scope="module")
def model() -> Model:
    return trained(special_tokens=("<pad>", "<s>", "[MASK]"))


def test_a_character_stays_as_long_as_a_token_that_holds_it() -> None:
    # 256: a, 257: ab, 258: b, 259: c
    score = np.concatenate([np.zeros(N_BYTES), [1.0, 3.0, 2.0, 4.0]])
    holders = Holders(np.array([257, 257]), np.array([256, 258]))
    counts = np.full(score.size, 9.0)
    assert pruned_tokens(score, counts, 0, N_BYTES, 1.0).tolist() == [256, 258, 257, 259]
    assert pruned_tokens(score, counts, 0, N_BYTES, 1.0, holders).tolist() == [257, 256, 258, 259]
    alive = np.ones(score.size, dtype=bool)
    alive[257] = False
    assert [column.size for column in holders.after(alive)] == [0, 0]


def test_no_round_of_a_safe_training_has_a_token_without_its_characters(model: Model) -> None:
    for number in range(model.last_round + 1):
        texts = [model.tokens[row].decode() for row in model.alive_rows(number)[N_BYTES:].tolist()]
        characters = {text for text in texts if len(text) == 1}
        assert all(c < "\x80" or c in characters for text in texts for c in text)


def test_the_file_gives_the_same_ids_and_texts(model: Model) -> None:
    data = to_sentencepiece(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    for line in [*korean_lines(100), *fuzz_lines(400, [t.decode(errors="ignore") for t in model.tokens], ["[MASK]"])]:
        ids = model.encode(line).ids
        assert processor.encode(line) == ids
        assert processor.decode(ids) == line


@pytest.mark.parametrize(
    "settings",
    [
        {"pretokenizer": "gpt2"},
        {"pretokenizer": "thunder-tok-joined"},
        {"pretokenizer": "thunder-tok-readme"},
        {"pretokenizer": "whitespace", "algorithm": "unigram", "score": "ml", "seed_vocabulary": "ngrams"},
        {"pretokenizer": "none", "score": "p"},
    ],
)
def test_all_named_pretokenizers(settings) -> None:
    other = trained(**settings)
    report = export_tokenizer(other, "sentencepiece", korean_lines(100), n_fuzz=500).report
    assert (report.mismatches, report.counterexample) == (0, None)


@pytest.mark.slow
def test_five_thousand_odd_lines_and_the_corpus(model: Model) -> None:
    report = export_tokenizer(model, "sentencepiece", korean_lines(2000), n_fuzz=8000).report
    assert report.mismatches == 0
    assert report.checked_lines > 10_000


def test_pieces_keep_the_ids(model: Model) -> None:
    pieces = read_proto(to_sentencepiece(model)).pieces
    assert [piece.kind for piece in pieces[:4]] == [CONTROL, CONTROL, CONTROL, BYTE]
    assert [piece.text for piece in pieces[:5]] == ["<pad>", "<s>", "[MASK]", "<0x00>", "\x01"]
    assert [piece.text for piece in pieces[4 : model.vocab_size] if piece.kind == NORMAL] == [
        model.token_label(i) for i in range(4, model.vocab_size) if pieces[i].kind == NORMAL
    ]
    assert [piece.kind for piece in pieces[model.vocab_size :]] == [UNKNOWN] + [BYTE] * 127


def test_vocab_file_lists_pieces_and_scores(model: Model) -> None:
    export = export_tokenizer(model, "vocab")
    assert export.report.mismatches == 0
    pieces = read_vocab(export.data)
    assert len(pieces) == model.vocab_size + 128
    assert pieces[3 + ord("\n")][0] == "<0x0A>"
    with pytest.raises(InputError, match="line 2 is not a piece"):
        read_vocab(b"a\t-1\nb\n")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"sentencepiece_safe": False}, "train again with sentencepiece_safe"),
        ({"sentencepiece_safe": False, "pretokenizer": r"\p{L}+|\P{L}+"}, "named pre-tokenizers"),
        ({"partial_characters": True}, "without partial_characters"),
        ({"normalization": "nfc"}, "normalization none"),
        ({"special_tokens": ("<0x41>",)}, "two pieces"),
    ],
)
def test_what_sentencepiece_cannot_hold_is_refused(settings, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        to_sentencepiece(trained(**settings))


def test_one_difference_is_enough(model: Model) -> None:
    proto = read_proto(to_sentencepiece(model))
    best = next(i for i in range(300, model.vocab_size) if proto.pieces[i].text.strip().isalpha())
    worse = [p._replace(score=-40.0) if i == best else p for i, p in enumerate(proto.pieces)]
    text = proto.pieces[best].text
    report = check_parity(model, write_proto(proto._replace(pieces=worse)), "sentencepiece", [text], n_fuzz=0)
    assert (report.checked_lines, report.mismatches) == (1, 1)
    assert report.counterexample is not None and report.counterexample.text == text
    with pytest.raises(InputError, match=r"not exported: sentencepiece 0\.2\.2 encodes 1 of 1 lines differently"):
        require_parity(model, report)


def test_a_library_that_is_not_there_is_named(model: Model, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    with pytest.raises(InputError, match=r"sentencepiece.*thunder-tok-explorer\[export\]"):
        check_parity(model, b"", "sentencepiece", [])


def test_a_file_that_the_library_refuses(model: Model) -> None:
    with pytest.raises(InputError, match="cannot use the exported file"):
        check_parity(model, b"nothing", "sentencepiece", [])


def test_fuzz_lines_are_the_same_every_time() -> None:
    lines = fuzz_lines(3000, ["가", "나"])
    assert lines == fuzz_lines(3000, ["가", "나"])
    assert len(lines) == 3000 and not any("\n" in line for line in lines)
    assert len(set(lines)) > 2500


def test_export_on_the_command_line(model: Model, tmp_path: Path, capsys) -> None:
    model.save(tmp_path / "safe.tok")
    sample = tmp_path / "sample.txt"
    sample.write_text("\n".join(korean_lines(50)), encoding="utf-8")
    out = tmp_path / "out.model"
    arguments = ["export", "--model", str(tmp_path / "safe.tok"), "--output", str(out)]
    assert main([*arguments, "--to", "sentencepiece", "--sample", str(sample), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["checked_lines"] > 5000 and result["mismatches"] == 0
    assert sentencepiece.SentencePieceProcessor(model_file=str(out)).get_piece_size() == model.vocab_size + 128
    out.unlink()
    for refused in (["--to", "tiktoken"], ["--to", "sentencepiece", "--sample", ""]):
        assert main([*arguments, *refused]) == 2
        error = capsys.readouterr().err
        assert len(error.splitlines()) == 1 and "Traceback" not in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["safe.tok", "sample.txt"]
