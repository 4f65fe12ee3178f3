"""The concordance with queries and collocates, in Streamlit's own simulator."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.concordance.tables import ORDERS, collocate_table, drawn_collocates, place_spans, span_places
from app.server.stored_texts import HeldTexts, checked_text
from app.server.work.jobs import Registry
from app.session import state
from app.session.reference import ModelReference
from app.texts.commands import OWN_TEXT
from engine.cli import main
from engine.config import TrainingSettings
from engine.measure.collocates import collocates, sides_of, windows_of
from engine.measure.layers import Spans, line_starts, word_layer
from engine.query.near import node_query
from engine.query.text import SearchedText
from engine.unigram.train.trainer import train
from engine.unigram.train.training_corpus import build_corpus
from tests.pages import open_page, when_made

_LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다!", "<b>눈</b>이 *내렸다*."] * 3


def _open(registry: Registry, **params: str) -> AppTest:
    """The page Token with a model of these lines."""
    source = checked_text("\n".join(_LINES))
    settings = TrainingSettings(vocab_size=270, shrink=0.1)
    reference = ModelReference(source.id, settings)
    key = reference.key(source.digest)
    train(build_corpus(source.read(), settings), settings).save(registry.models.target(key))
    registry.models.add(key)
    session = {state.CORPORA: HeldTexts({source.id: source})}
    app = when_made(open_page("scores", session, lang="en", model=str(reference), find="꽃", **params))
    assert not app.exception and "\ufffd" not in str(app)
    return app


def _listed(app: AppTest) -> list[str]:
    payloads = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    found: list[str] = next((payload["token"] for payload in payloads if "has_probability" in payload), [])
    return found


def _said(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown)


@pytest.mark.usefixtures("prepared")
def test_a_query_lists_its_matches_and_an_error_points_at_its_place(registry: Registry) -> None:
    app = _open(registry, kwic="query", query='~[word="새."] [word=".*다.?"]')
    assert sorted(_listed(app)) == ["새가␣앉았다."] * 3
    assert "3 matches in 3 sentences" in _said(app)
    app.text_input(key="kwic.query").set_value("[word=]").run()
    assert not app.exception and [one.value for one in app.code][-1] == "[word=]\n      ^"
    assert "Character 7 of the query" in app.warning[0].value
    app.text_input(key="kwic.query").set_value("").run()
    assert not app.exception and not app.warning  # the token itself
    assert app.query_params.get("query") is None and app.text_input(key="kwic.query").placeholder == '[token=="꽃"]'
    app.text_input(key="kwic.query").set_value('[word="<b>.*"] []').run()
    assert _listed(app) == ["<b>눈</b>이␣*내렸다*."] * 3
    assert app.query_params["query"] == '~[word="<b>.*"] []'


@pytest.mark.usefixtures("prepared")
def test_a_collocate_limits_the_concordance_to_its_places(registry: Registry) -> None:
    app = _open(registry, kwic="query", query='~[word="나무에"]', collocates="true", near="words", near_left="0")
    table = next(one.value for one in app.dataframe if "log_dice" in one.value.columns)
    assert table["collocate"].tolist() == ["꽃이", "피었다.", "앉았다.", "새가"]
    assert table["observed"].tolist() == [3, 3, 3, 3] and table["frequency"].tolist() == [3, 3, 3, 6]
    assert len(_listed(app)) == 6
    app.session_state["kwic.collocate"] = "새가"
    app.run()
    assert len(_listed(app)) == 3 and "Only those near “새가”: 3 occurrences in 3 sentences" in _said(app)
    assert app.query_params["collocate"] == "~새가"
    app.button(key="collocates.clear").click().run()
    assert len(_listed(app)) == 6 and not app.exception
    for way, n_nodes in (("token", 0), ("text", 6), ("regex", 6)):
        app.session_state["choice.kwic"] = way
        app = when_made(app.run())
        assert not app.exception and any(f"Node: {n_nodes} times" in one.value for one in app.caption), way


def _commands(app: AppTest) -> list[list[str]]:
    """The words of the commands that search."""
    lines = [line for one in app.code for line in one.value.splitlines()]
    return [words for words in map(shlex.split, lines) if words[1] in ("concordance", "collocates")]


@pytest.mark.usefixtures("prepared")
def test_the_command_line_finds_the_same(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = _open(registry, kwic="query", query='~[word="나무에"]', collocates="true", near="words", near_left="0")
    table = next(one.value for one in app.dataframe if "log_dice" in one.value.columns)
    found = {words[1]: words for words in _commands(app)}
    assert list(found) == ["concordance", "collocates"]
    source = checked_text("\n".join(_LINES))
    key = ModelReference(source.id, TrainingSettings(vocab_size=270, shrink=0.1)).key(source.digest)
    shutil.copy(registry.models.target(key), tmp_path / "1.tok")
    (tmp_path / OWN_TEXT).write_text("\n".join(_LINES) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rows = {}
    for name, words in found.items():
        assert main([*words[1:], "--json"]) == 0
        rows[name] = json.loads(capsys.readouterr().out)
    assert len(rows["concordance"]) == len(_listed(app)) == 6
    assert [row["word"] for row in rows["collocates"]] == table["collocate"].tolist()
    assert [row["log_dice"] for row in rows["collocates"]] == table["log_dice"].tolist()
    app.session_state["choice.kwic"] = "text"
    app.session_state["kwic.context"] = ""
    ((*_, option),) = _commands(when_made(app.run()))
    assert option == "--text=꽃"
    app.session_state["choice.kwic"] = "regex"
    assert not _commands(when_made(app.run()))


@pytest.mark.usefixtures("prepared")
def test_without_an_analyser_a_query_for_morphemes_is_a_sentence(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("app.concordance.collocates", "engine.query.build"):
        monkeypatch.setattr(f"{place}.installed_analysers", list)
    app = _open(registry, kwic="query", query='~[tag="NNG"]', collocates="true")
    assert "kiwipiepy" in app.warning[0].value


def test_the_picture_has_the_first_rows_with_their_intervals() -> None:
    lines = [f"가 {'나다라마'[k % 4]} {k % 20}" for k in range(100)]
    layer = word_layer(lines)
    nodes = SearchedText(lines, [layer]).find(node_query("가", "words"))
    sides = sides_of(layer, line_starts(lines), nodes, 2, 2)
    found = collocates(layer, windows_of(sides, len(layer.begin)), len(nodes.line))
    table = collocate_table(found, layer.labels)
    for by in ORDERS:
        rows: Any = drawn_collocates(table.sort_values(by, ascending=False), by)
        assert len(rows) == 15 and rows["value"].is_monotonic_decreasing
        assert rows["is_ours"].tolist() == [p < 0.05 for p in table.set_index("collocate")["p"][rows["title"]]]
        assert (rows["low"] <= rows["value"]).all() and (rows["value"] <= rows["high"]).all()


def test_the_picture_has_no_punctuation() -> None:
    lines = ["가 , 나", "가 . 다", "가 ! 12"] * 5
    layer = word_layer(lines)
    nodes = SearchedText(lines, [layer]).find(node_query("가", "words"))
    found = collocates(layer, windows_of(sides_of(layer, line_starts(lines), nodes, 2, 2), len(layer.begin)), 15)
    rows: Any = drawn_collocates(collocate_table(found, layer.labels), "g2")
    assert sorted(rows["title"]) == ["12", "나", "다"]


def test_spans_are_places_by_line_and_back() -> None:
    places = [[(0, 3, 0.0)], [], [(1, 2, 0.0), (4, 9, 0.0)]]
    spans = place_spans(places)
    assert [one.tolist() for one in spans] == [[0, 2, 2], [0, 1, 4], [3, 2, 9]]
    assert [[place[:2] for place in own] for own in span_places(spans, 3)] == [[p[:2] for p in own] for own in places]
    assert span_places(Spans(*(spans.line[:0],) * 3), 1) == [[]]
