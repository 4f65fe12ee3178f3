"""Every file of numbers says which text they come from."""

import csv
import hashlib
import io
import math
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from app.parts.data_table import NO_TEXT, TEXT_SHA256, with_origin
from app.session.models import Active
from app.session.reference import ModelReference
from app.texts.corpora import builtin_corpus, own_text
from engine.config import TrainingSettings
from engine.training import start_training
from tests.conftest import ROOT
from tests.pages import open_page, settle

SHA256 = re.compile(r"[0-9a-f]{64}( [0-9a-f]{64})*")
Files = dict[str, list[dict[str, str]]]

QUICK: list[tuple[str, dict[str, str]]] = [
    ("explore", {"with": "none", "more": "all"}),
    ("learn_bytes", {}),
    ("lattice", {"tab": "table"}),
]
SLOW: list[tuple[str, dict[str, str]]] = [
    ("learn_bpe", {}),
    ("learn_bpe", {"view": "wordpiece"}),
    ("scores", {}),
    ("scores", {"view": "distributions"}),
    ("rounds", {"find": "다."}),
    ("token", {"find": "다."}),
    ("token", {"view": "vocabulary"}),
    ("boundaries", {"view": "sentence"}),
    ("boundaries", {"view": "scores"}),
    ("boundaries", {"view": "errors"}),
    ("cost", {"more": "fairness", "measured": "texts", "with": "bytes"}),
    ("cost", {"more": "fairness", "measured": "languages", "with": "bytes"}),
    ("growth", {"tokenizers": "byte-bpe"}),
    ("growth", {"view": "matrix", "languages": "ko.en"}),
    ("growth", {"view": "mixture", "languages": "ko.en"}),
    ("growth", {"view": "languages", "languages": "ko.en"}),
    ("morphology", {"with": "bytes"}),
    ("morphology", {"with": "bytes", "gold": "kaist"}),
    ("compare", {"with": "bytes.words"}),
    ("train", {}),
    ("learn_unigram", {}),
    ("learn_tradeoff", {}),
    ("learn_failures", {}),
    ("learn_failures", {"topic": "across", "across": "all"}),
]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Files]:
    """Opens a page and makes every file of numbers that it offers."""
    made: dict[str, Any] = {}
    button = st.download_button

    def note(label: str, data: Any, **options: Any) -> bool:
        made[options["file_name"]] = data
        return bool(button(label, data, **options))

    monkeypatch.setattr("streamlit.download_button", note)

    def open_(page: str, **params: str) -> Files:
        settle(open_page(page, lang="en", **params))
        return {name: _rows(name, data()) for name, data in made.items() if name.endswith((".csv", ".tsv"))}

    return open_


def _rows(name: str, data: bytes) -> list[dict[str, str]]:
    text = io.StringIO(data.decode("utf-8-sig"), newline="")
    if name.endswith(".tsv"):
        return list(csv.DictReader(text, delimiter="\t"))
    return list(csv.DictReader(text))


@pytest.mark.usefixtures("prepared", "shared_registry")
@pytest.mark.parametrize(("page", "params"), [*QUICK, *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)])
def test_every_row_names_its_text(page: str, params: dict[str, str], files: Callable[..., Files]) -> None:
    found = files(page, **params)
    assert found
    for name, rows in found.items():
        for row in rows:
            assert SHA256.fullmatch(row[TEXT_SHA256]), (name, row)


@pytest.mark.usefixtures("prepared", "shared_registry")
@pytest.mark.parametrize("unit", ["bit", "nat"])
def test_a_file_has_the_unit_of_its_page_and_names_it(unit: str, files: Callable[..., Files]) -> None:
    model = "toy.hug~vocab_size-264~min_count-1"
    of_token, of_rounds = (
        next(rows for name, rows in files(page, model=model, find="hug", units=unit).items() if f"life-{unit}" in name)
        for page in ("token", "rounds")
    )
    for name in ("be", "score"):
        assert [row[name] for row in of_rounds] == [row[name] for row in of_token]
    assert float(of_token[0]["be"]) == pytest.approx(0.015888 / (math.log(2) if unit == "bit" else 1), rel=1e-3)


def test_files_are_made_where_the_text_has_to_be_said() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py")}
    writers = {path.name for path, text in sources.items() if re.search(r"\b[ct]sv_bytes\(", text)}
    assert writers == {"data_table.py", "routes.py"}  # the second writes what the first has given an origin
    others = {path.stem for path, text in sources.items() if re.search(r"\bdownload(_button)?\(", text)}
    assert others == {"data_table", "fit", "model_panel", "plan_editor"}  # these hold models and plans


def test_a_text_and_a_model_that_was_trained_on_it_have_one_fingerprint() -> None:
    text = own_text("나무에 꽃이 피었다.\n나무에 새가 앉았다.\n" * 3)
    settings = TrainingSettings(algorithm="characters", vocab_size=30)
    training = start_training(text.lines(), settings)
    list(training.rounds())
    active = Active(ModelReference(text.id, settings), training.model(), "", text)
    of_lines = hashlib.sha256("\n".join(text.lines()).encode()).hexdigest()
    assert text.fingerprint == active.fingerprint == of_lines


def test_several_texts_a_text_a_row_and_none() -> None:
    table, a, b = pd.DataFrame({"n": [1, 2]}), own_text("a"), own_text("b")
    assert with_origin(table, [a, b, a])[TEXT_SHA256].tolist() == [f"{a.fingerprint} {b.fingerprint}"] * 2
    by_row = pd.Series([a.fingerprint, b.fingerprint])
    assert with_origin(table, lambda: by_row)[TEXT_SHA256].tolist() == by_row.tolist()
    assert with_origin(table, NO_TEXT)[TEXT_SHA256].tolist() == ["", ""]
    assert builtin_corpus().fingerprint == with_origin(table, builtin_corpus())[TEXT_SHA256][0]
    assert list(table) == ["n"]
