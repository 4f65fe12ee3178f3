"""Visitors' texts in everything that Streamlit reads as Markdown: labels, hidden ones too, help, options, tables."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from app.classroom import stored_plans
from app.classroom.own_question import OwnQuestion
from app.classroom.page import plan_editor
from app.classroom.plan import Plan, PlanStep
from app.classroom.stored_plans import save_plan
from app.server.store.opening import SqliteStore
from tests.pages import PAGES, open_page
from tests.url_parameters import url_parameters

_MARK = "![zq](//evil.example/zq.png)"
# Fields that are shown as they are.
_AS_TEXT = frozenset({"id", "default", "value", "placeholder", "url", "data", "mime_type", "json", "mixed_data"})
_WHOLE = frozenset({"code", "bidi_component", "html", "imgs", "plotly_chart", "arrow_data_frame", "dataframe"})
_PLAIN_OPTIONS = frozenset({"selectbox", "multiselect"})


def _texts(message: Message, name: str = "") -> Iterator[str]:
    for field, value in message.ListFields():
        if field.name in _AS_TEXT or (name in _PLAIN_OPTIONS and field.name == "options"):
            continue
        values = value if isinstance(value, (list, tuple)) or hasattr(value, "append") else [value]
        for inner in values:
            if isinstance(inner, Message):
                yield from _texts(inner)
            elif isinstance(inner, str):
                yield inner


def _marked(app: AppTest) -> list[str]:
    """Texts with the mark in them, as Markdown would take it for a picture."""
    found = []
    for node in _nodes(app):
        if node.type in _WHOLE:
            continue
        cells = node.value.to_csv() if node.type in ("table", "arrow_table") else ""
        found += [f"{node.type}: {text}" for text in (*_texts(node.proto, node.type), cells) if "![zq" in text]
    return found


def _is_there(app: AppTest) -> bool:
    return any("zq" in str(node.proto) for node in _nodes(app))


def _nodes(app: AppTest) -> list[Any]:
    return [node for node in app._tree if isinstance(getattr(node, "proto", None), Message)]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a plan with the mark wherever a text is."""
    store = SqliteStore(tmp_path)
    for module in (stored_plans, plan_editor):
        monkeypatch.setattr(module, "library", lambda: store)
    owns = (
        OwnQuestion("choice", _MARK, f"{_MARK}\nother", right=_MARK),
        OwnQuestion("numbers", _MARK, "", right="3"),
        OwnQuestion("word", _MARK, "", right=_MARK),
        OwnQuestion("cuts", _MARK, _MARK, right=""),
        OwnQuestion("merge", _MARK, "zq zq zqa"),
    )
    steps = tuple(PlanStep(5, own=own, notes=_MARK) for own in owns)
    return save_plan(Plan(steps, title=_MARK, language="en"), "o" * 32)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["own-1", "own-2", "own-3", "own-4", "own-5"])
@pytest.mark.parametrize("more", [{}, {"notes": "true"}], ids=["page", "notes"])
def test_a_plans_texts_are_text(plan: str, step: str, more: dict[str, str]) -> None:
    app = open_page("lessons", {"lessons.edit.open": True}, lang="en", plan=plan, lesson=step, **more)
    assert _is_there(app) and _marked(app) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "params"),
    [
        ("explore", {"text": "~" + _MARK}),
        ("lattice", {"text": "~" + _MARK}),
        ("token", {"find": _MARK}),
        ("scores", {"find": _MARK}),
        ("learn_bpe", {"view": "wordpiece", "words": "~" + _MARK}),
        ("learn_unigram", {"words": "~![zq](//a)"}),
        ("learn_bytes", {"text": "~" + _MARK}),
        ("learn_failures", {"text": "~" + _MARK}),
        ("boundaries", {"sentence": "~" + _MARK}),
    ],
)
def test_texts_of_an_address_are_text(page: str, params: dict[str, str]) -> None:
    app = open_page(page, lang="en", **params)
    assert _is_there(app) and _marked(app) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_parameter_at_once_is_text(page: str) -> None:
    hostile = dict.fromkeys({*url_parameters()} - {"lang", "model"}, f"{_MARK}<img/src=x>")
    for values in (hostile, {name: f"~{value}" for name, value in hostile.items()}):
        app = open_page(page, lang="en", **values)
        assert _marked(app) == []
        assert [node.proto.body for node in app.get("html") if "<img/src" in node.proto.body] == []


def test_the_ties_of_merges_are_text() -> None:
    app = open_page("learn_bpe", lang="en", words="~[[]] ]][[ ()")
    texts = [option.content for node in _nodes(app) if node.type == "button_group" for option in node.proto.options]
    assert any("\\[" in text for text in texts)
    assert not any(re.search(r"(?<!\\)[\[\]()]", text) for text in texts if " + " in text)
