"""The Fertility page and what it is made from; fertility is counted a second time, by other means."""

import json
import shlex
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.parts.tables.fertility import all_measures, money, text_cost
from app.texts.measured import LANGUAGES, builtin_text, builtin_texts, parallel_texts
from app.views.fertility.templates import TEMPLATES, wrap
from app.views.fertility.texts import PAPER
from engine.cli import main
from engine.config import TrainingSettings
from engine.training import start_training
from tests.conftest import ROOT
from tests.pages import open_page, settle

pytestmark = pytest.mark.usefixtures("shared_registry")

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다."]


def test_fertility_is_tokens_over_words_of_the_whole_text() -> None:
    training = start_training(LINES * 4, TrainingSettings(vocab_size=290))
    list(training.rounds())
    model = training.model()
    found = text_cost(model, LINES, "eojeol")
    tokens = sum(len(model.encode(line).ids) for line in LINES)
    words = len(" ".join(LINES).split(" "))
    assert (found.tokens, found.words) == (tokens, words)
    assert found.fertility == pytest.approx(tokens / words)
    assert found.low <= found.fertility <= found.high
    table = all_measures(model, LINES, "eojeol").set_index("measure")
    assert table.loc["fertility", "value"] == pytest.approx(tokens / words)
    assert table.loc["round_trip", "value"] == 1


def test_the_templates_take_pairs_of_lines() -> None:
    assert wrap(["가", "나", "다"], "arc") == ["질문: 가 답변: 나", "다"]
    assert wrap(["{b}", "나"], "copa") == ["{b} 그래서 나"]
    assert wrap(LINES, "none") == LINES
    assert set(TEMPLATES) == {"none", "hellaswag", "copa", "arc", "lambada"}


def test_every_built_in_text_is_there_and_the_parallel_ones_are_aligned() -> None:
    assert all(builtin_text(id_).sentences() for id_ in builtin_texts())
    assert {len(lines) for lines in parallel_texts().values()} == {72}
    assert len(LANGUAGES) == 13


def test_the_papers_figures() -> None:
    # Thunder-Tok against BPE is 3.9 % to 14.3 % fewer tokens, row by row.
    gains = [1 - ours / bpe for ours, bpe in zip(PAPER["Thunder-Tok"], PAPER["BPE"], strict=True)]
    assert (round(100 * min(gains), 1), round(100 * max(gains), 1)) == (3.9, 14.3)


def test_money() -> None:
    assert money(2_500_000, 4.0) == 10.0


def _open(**params: str) -> AppTest:
    return settle(open_page("fertility", lang="ko", **params))


def test_texts_and_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    app = _open(**{"with": "characters.bytes", "texts": "parallel.ko,web.code"})
    commands = next(one.value for one in app.code if one.value.startswith("thunder-tok")).split("\n")
    assert len(commands) >= 4  # three trainings
    table = next(frame.value for frame in app.dataframe if "fertility" in frame.value)
    lines = builtin_text("parallel.ko").sentences()
    counted = table[(table["text"].str.contains("한국어")) & (table["tokenizer"].str.contains("바이트"))].iloc[0]
    assert counted["tokens"] == sum(len(line.encode()) for line in lines)
    assert counted["words"] == sum(len(line.split()) for line in lines)
    # The commands that the page shows give what it shows.
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    rows = []
    for command in commands:
        capsys.readouterr()
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        rows += printed if isinstance(printed, list) else []
    measured = sorted((row["tokens"], row["words"], row["fertility"]) for row in rows)
    assert measured == sorted(zip(table["tokens"], table["words"], table["fertility"], strict=True))
    app = _open(view="languages", on="active", **{"with": "bytes"})
    table = next(frame.value for frame in app.dataframe if "premium" in frame.value)
    texts = parallel_texts()
    ratio = sum(len(line.encode()) for line in texts["th"]) / sum(len(line.encode()) for line in texts["en"])
    row = table[(table["language"] == "th") & table["tokenizer"].str.contains("바이트")].iloc[0]
    assert row["premium"] == pytest.approx(ratio)


def test_while_tokenizers_are_trained_nothing_asks_to_choose_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.parts.tokenizer_set.ready_tokenizer", lambda *_: None)
    monkeypatch.setattr("app.parts.tokenizer_set._train", lambda request: request.key)
    monkeypatch.setattr("app.parts.tokenizer_set._follow", lambda jobs: st.caption(f"waiting for {len(jobs)}"))
    app = _open(view="languages")
    assert "waiting for 4" in [caption.value for caption in app.caption]
    assert not app.info


def test_a_file_of_ones_own_is_measured_at_once() -> None:
    app = _open(**{"with": "bytes"})
    app.file_uploader(key="texts.file").set_value([("글.txt", "나무에 꽃이 피었다.".encode(), "text/plain")]).run()
    assert not app.exception
    assert any("글.txt" in frame.value.columns for frame in app.dataframe)
