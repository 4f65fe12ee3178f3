"""Pre-tokens cut at morphemes for training: what Kiwi's own trainer did, and what it means for a vocabulary."""

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.config import TrainingSettings
from engine.corpus.morphemes.selective import KINDS
from engine.errors import InputError
from engine.merge_settings import MergeSettings
from engine.merges.trainer import train_merges
from engine.model_files import load_tokenizer
from engine.pretokenization import get_pretokenizer, pretokenizer_for

kiwipiepy = pytest.importorskip("kiwipiepy")
pytestmark = pytest.mark.slow  # loads Kiwi


def test_pieces_are_those_of_kiwis_trainer(shared_data: Path) -> None:
    golden = json.loads((shared_data / "rivals" / "kiwi_bpe.json").read_text("utf-8"))
    names = {name: f"kiwi-{name}" for name in KINDS} | {"all": "kiwi-j-e-vcp-xsv"}
    for name, pieces in golden["pieces"].items():
        split = pretokenizer_for(names[name], []).split if name != "none" else get_pretokenizer("gpt2").split
        assert [split("".join(line)) for line in pieces] == pieces, name


def test_every_boundary_is_a_cut() -> None:
    split = pretokenizer_for("kiwi-morphemes", []).split
    assert split("학교에서는 공부했다.") == ["학교", "에서", "는", " 공부", "했", "다", "."]
    for text in ("", " ", "  학교에서 ", "abc 123!", "가나다라마바사", "😀 학교를\t좋아한다ㅋㅋ"):
        assert "".join(split(text)) == text


def test_the_cuts_are_there_in_training_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["학교에서 공부했다", "학교를 떠났다", "학교가 멀다", "집에서 공부했다"] * 5
    plain, cut = (
        train_merges(lines, MergeSettings(vocab_size=320, pretokenizer=name)) for name in ("gpt2", "kiwi-j-e-vcp-xsv")
    )
    assert "학교에서" in [plain.token_label(i) for i in range(plain.vocab_size)]
    tokens = [cut.token_label(i) for i in range(cut.vocab_size)]
    assert "학교" in tokens and "에서" in tokens and "학교에서" not in tokens
    # No analyser encodes: the pre-tokens are those of GPT-2.
    assert cut.pretokenizer is not None and cut.pretokenizer.split("학교에서 공부했다") == ["학교에서", " 공부했다"]
    cut.save(tmp_path / "m.tok")
    loaded = load_tokenizer(str(tmp_path / "m.tok"))
    exported = tmp_path / "tokenizer.json"
    assert main(["export", "--model", str(tmp_path / "m.tok"), "--to", "hf", "--output", str(exported)]) == 0
    for line in (*lines[:4], "집을 떠났다가 학교로!"):
        assert loaded.encode(line) == cut.encode(line) == load_tokenizer(str(exported)).encode(line)


def test_what_it_is_not_for_is_said() -> None:
    with pytest.raises(InputError, match="kiwi-j is for algorithms that merge"):
        TrainingSettings(algorithm="unigram", pretokenizer="kiwi-j")
    for name in ("kiwi-", "kiwi-x", "kiwi-j-morphemes"):
        with pytest.raises(InputError, match="kiwi-j-e-vcp-xsv, kiwi-j"):
            get_pretokenizer(name)
