"""The models that come with the program: their files, what they promise, and how they are named."""

import hashlib
import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import InputError
from engine.shipped.catalogue import MODELS, SHIPPED, load_shipped, manifest, shipped_models
from research.shipped import make
from tests.conftest import ROOT

NAMES = list(shipped_models())
LONGEST = 32  # bytes of a token of Thunder-Tok and Unigram
TEXT = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다."


def test_the_files_are_those_of_the_manifest_and_small() -> None:
    assert len(NAMES) == 9
    on_disk = {path.name for path in MODELS.iterdir()} - {"manifest.json"}
    assert on_disk == {model.file for model in shipped_models().values()}
    for model in shipped_models().values():
        data = model.path.read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (model.size, model.sha256)
        assert model.size <= 3_500_000
    assert sum(model.size for model in shipped_models().values()) <= 20_000_000


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_reads_and_writes(name: str) -> None:
    model = load_shipped(name)
    facts = shipped_models()[name]
    assert model.vocab_size == facts.vocab_size == facts.settings.vocab_size
    ids = model.encode(TEXT).ids
    assert len(ids) < 20
    if name != "wordpiece-32k":  # which has spaces nowhere
        assert model.decode(ids) == TEXT
    if model.pruning is not None:
        assert max(map(len, model.pruning.tokens)) <= LONGEST
        assert len(model.pruning.rounds) == model.pruning.last_round + 1
        assert model.pruning.first_round <= 4


@pytest.mark.parametrize("damage", [lambda data: data[:-100], lambda data: b"x" + data, lambda data: b""])
def test_a_damaged_vocabulary_is_said_in_a_sentence(damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = shipped_models()[NAMES[0]]
    (tmp_path / facts.file).write_bytes(damage(facts.path.read_bytes()))
    monkeypatch.setattr("engine.shipped.catalogue.MODELS", tmp_path)
    with pytest.raises(InputError, match="damaged") as found:
        load_shipped(facts.name)
    assert "손상" in found.value.text("ko")


def test_no_text_of_a_corpus_is_in_the_manifest() -> None:
    registers = manifest()["corpus"]["registers"]
    assert len(registers) == 13 and sum(one["bytes"] for one in registers.values()) > 20_000_000
    assert all(set(one) == {"lines", "bytes", "licence", "source"} for one in registers.values())


def test_commands_take_shipped_models(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT + "\n")
    reference = SHIPPED + "byte-bpe-32k"
    assert main(["encode", "--model", reference, "--json", str(text)]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == load_shipped("byte-bpe-32k").encode(TEXT).ids
    assert main(["models", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["reference"] for row in listed[: len(NAMES)]] == [SHIPPED + name for name in NAMES]
    assert main(["encode", "--model", SHIPPED + "nobody", str(text)]) == 2
    assert "thunder-tok-32k" in capsys.readouterr().err
    with pytest.raises(InputError, match="choose one of"):
        load_shipped("../secrets")


@pytest.mark.slow
def test_they_need_fewer_tokens_on_texts_that_they_have_not_seen(
    capsys: pytest.CaptureFixture[str], shared_data: Path
) -> None:
    """The texts of the corpora's folder that are not in the mixture; figures of docs/figures.md."""
    texts = [str(shared_data / name) for name in ("parallel_pud/ko.txt", "ko_kaist_raw.txt", "ko_literature.txt")]
    models = [*(SHIPPED + name for name in ("thunder-tok-32k", "byte-bpe-32k", "fewest-tokens-32k"))]
    assert main(["fertility", "--json", "--model", *models, "public:o200k_base", "--text", *texts]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = {(row["model"], row["file"]): row["fertility"] for row in rows}
    for text in texts:
        ours, bpe, fewest = (found[model, text] for model in models)
        assert fewest < ours < bpe and fewest <= 0.96 * bpe
        assert ours <= 0.75 * found["public:o200k_base", text]


@pytest.mark.slow
def test_they_are_made_again_byte_for_byte(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "MODELS", tmp_path)
    monkeypatch.setattr(make, "MANIFEST", tmp_path / "manifest.json")
    names = ["thunder-tok-8k", "byte-bpe-32k"]
    make.main(shared_data, names)
    entries = json.loads((tmp_path / "manifest.json").read_text())["models"]
    assert [entry["name"] for entry in entries] == names
    for entry in entries:
        assert entry == next(one for one in manifest()["models"] if one["name"] == entry["name"])
        assert (tmp_path / entry["file"]).read_bytes() == shipped_models()[entry["name"]].path.read_bytes()


def test_without_the_texts_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the texts are not here"):
        make.main(tmp_path)
    with pytest.raises(SystemExit, match="no recipe for nobody"):
        make.main(ROOT, ["nobody"])
