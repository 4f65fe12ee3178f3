"""Exporting from the Train page: what is possible, what it costs, and a file that was checked."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from app.server.visitors import NOBODY, Visitor
from app.session.reference import ModelReference, parse_reference
from app.views.train.model_panel import export_file
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.model_files import load_tokenizer, tokenizer_from_bytes
from engine.training import start_training
from tests.pages import open_page, settle

_LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."] * 5


@pytest.mark.slow
def test_a_file_is_checked_and_opens_again(tmp_path: Path) -> None:
    training = start_training(_LINES, TrainingSettings(vocab_size=270, sentencepiece_safe=True))
    for _ in training.rounds():
        pass
    training.model().save(tmp_path / "model.tok")
    made = export_file(tmp_path / "model.tok", "sentencepiece", "byte-level", None, NOBODY)
    assert made.checked_lines >= 5000
    assert "sentencepiece" in made.checked_with
    ours, theirs = load_tokenizer(tmp_path / "model.tok"), tokenizer_from_bytes(made.data)
    assert [theirs.encode(line).ids for line in _LINES] == [ours.encode(line).ids for line in _LINES]
    with pytest.raises(InputError, match="tiktoken"):
        export_file(tmp_path / "model.tok", "tiktoken", "byte-level", None, NOBODY)


@pytest.mark.slow
@pytest.mark.usefixtures("registry")
def test_training_again_for_sentencepiece_is_offered() -> None:
    reference = str(ModelReference("toy", TrainingSettings(vocab_size=270)))
    app = settle(open_page("train", **{"lang": "en", "model": reference, "with": "none"}))
    app.segmented_control(key="choice.to").set_value("tiktoken").run()
    assert any("tiktoken" in one.value for one in app.info)
    app.segmented_control(key="choice.to").set_value("sentencepiece").run()
    app.button(key="export.train_safe").click().run()
    settle(app)
    chosen = parse_reference(app.session_state["model"])
    assert chosen is not None and chosen.settings.sentencepiece_safe
    app.segmented_control(key="choice.to").set_value("sentencepiece").run()
    assert any("for SentencePiece" in one.value for one in app.caption)
    assert not app.exception


def test_an_export_waits_among_those_of_its_visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Visitor] = []

    def run(work: object, visitor: Visitor) -> str:
        asked.append(visitor)
        raise InputError("enough")

    monkeypatch.setattr("app.views.train.model_panel.registry", lambda: SimpleNamespace(folder=tmp_path, run=run))
    with pytest.raises(InputError, match="enough"):
        export_file(tmp_path / "model.tok", "hf", "byte-level", None, Visitor("10.0.0.1", "me"))
    assert asked == [Visitor("10.0.0.1", "me")]
