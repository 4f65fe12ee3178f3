"""Where a vocabulary may come from: facts about public vocabularies, and small ones by hand."""

import json
from pathlib import Path

import pytest

from engine import TrainingSettings, train
from engine.audit.lineage import Lineage, lineage
from engine.cli import main
from engine.merges.bpe import Bpe
from engine.merges.trainer import train_merges
from engine.model_files import load_tokenizer
from engine.public.load import load_public

_LINES = ["the cat and the dog", "the sea and the sand", "나무가 나무를 본다"] * 3


def bpe(lines: list[str], size: int) -> Bpe:
    return train_merges(lines, TrainingSettings(algorithm="byte-bpe", vocab_size=size, pretokenizer="gpt2"))


def test_llama_3_took_the_merges_of_gpt_4() -> None:
    llama3, gpt4 = load_public("llama3"), load_public("cl100k_base")
    found = lineage(gpt4, llama3)
    assert found.shared == 100_256 and found.share == 1.0
    assert (found.shared_merges, found.same_rank, found.common_prefix) == (100_000, 100_000, 100_000)
    assert found.rank_correlation == pytest.approx(1.0, abs=1e-12)
    # Qwen 3 has some of its own in between.
    found = lineage(gpt4, load_public("qwen3"))
    assert (found.shared, found.shared_merges, found.common_prefix) == (99_156, 98_900, 154)
    assert found.rank_correlation == pytest.approx(1.0, abs=1e-12)
    other = lineage(gpt4, load_public("gpt2"))
    assert other.rank_correlation is not None and other.rank_correlation < 0.8 and other.common_prefix == 0


def test_every_kind_of_file_has_the_same_merges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained = bpe(_LINES, 285)
    trained.save(tmp_path / "m.tok")
    for target, name in (("hf", "tokenizer.json"), ("tiktoken", "m.tiktoken")):
        output = tmp_path / name
        assert main(["export", "--model", str(tmp_path / "m.tok"), "--to", target, "--output", str(output)]) == 0
        found = lineage(trained, load_tokenizer(str(output)))
        assert found.shared == 285 and found.share == found.share_of_other == 1.0, target
        assert found.common_prefix == found.same_rank == found.shared_merges == 285 - 256, target
    capsys.readouterr()
    arguments = ["audit", "--model", str(tmp_path / "m.tok"), "--against", str(output), "public:bert"]
    figure = tmp_path / "a.svg"
    assert main([*arguments, "--json", "--figure", str(figure)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["shared_merges"] for row in rows] == [29, None] and figure.read_text("utf-8").startswith("<svg")
    assert main(arguments) == 0 and "100.00%" in capsys.readouterr().out


def test_order_is_told_from_content() -> None:
    short, long = bpe(_LINES, 270), bpe(_LINES, 290)
    found = lineage(short, long)
    assert (found.shared, found.common_prefix, found.same_rank) == (270, 14, 14) and found.share == 1.0
    turned = lineage(bpe(["ab"] * 9 + ["cd"] * 5, 258), bpe(["cd"] * 9 + ["ab"] * 5, 258))
    assert turned == Lineage(258, 1.0, 1.0, 2, 0, pytest.approx(-1.0), 0)
    pieces = train(_LINES, TrainingSettings(algorithm="unigram", vocab_size=280))
    assert lineage(short, pieces).shared_merges is None
    llama2, mistral = load_public("llama2"), load_public("mistral_v1")
    found = lineage(llama2, mistral)
    assert found.rank_correlation is not None and 0.7 < found.rank_correlation < 0.8 and found.common_prefix == 1
