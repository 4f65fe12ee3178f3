"""Texts of a visitor's own on the pages: which are kept, what is said of those that are not, and links to them."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.server.library import Opened
from app.server.store.opening import SqliteStore
from app.server.stored_texts import HeldTexts, checked_text
from app.server.work.jobs import Registry
from app.session import state
from app.session.reference import ModelReference
from app.texts.corpora import Text
from engine.config import TrainingSettings
from engine.training import start_training
from tests.pages import go_to, open_page

LINES = "나무에 꽃이 피었다.\n나무에 새가 앉았다.\n새가 꽃을 보았다!\n" * 3
SETTINGS = TrainingSettings(vocab_size=270, shrink=0.1)


@pytest.fixture
def model(registry: Registry) -> ModelReference:
    """A model of LINES that the server has already."""
    source = checked_text(LINES)
    reference = ModelReference(source.id, SETTINGS)
    training = start_training(LINES.splitlines(), SETTINGS)
    list(training.rounds())
    key = reference.key(source.digest)
    training.model().save(registry.models.target(key))
    registry.models.add(key)
    return reference


def _session(*texts: Text) -> dict[str, Any]:
    return {state.CORPORA: HeldTexts({text.id: text for text in texts})}


def _said(app: AppTest) -> str:
    elements = (*app.warning, *app.info, *app.markdown, *app.caption)
    return "\n".join(element.value for element in elements).replace("\\", "")


def _paste(app: AppTest, text: str) -> AppTest:
    app.text_area(key="corpus.pasted").set_value(text).run()
    app.button(key="corpus.paste_add").click().run()
    assert not app.exception
    return app


def _texts(app: AppTest) -> set[str]:
    """Whose columns the table of fertility has."""
    return {str(name) for frame in app.dataframe if "fertility" in frame.value for name in frame.value["text"]}


def test_texts_are_kept_by_size_not_by_number_and_what_goes_is_named(
    model: ModelReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = checked_text(LINES, "training.txt")
    others = [checked_text(f"Text {number}.") for number in range(4)]
    link = {"lang": "en", "view": "texts", "texts": own.id, "with": "none", "model": str(model)}
    app = open_page("cost", _session(own, *others), more="fairness", **link)
    assert len(app.session_state[state.CORPORA]) == 5 and "No longer kept" not in _said(app)
    monkeypatch.setattr("app.server.stored_texts.session_mb", lambda: (own.n_bytes + 20) / 1e6)
    _paste(app, "Another text.")
    kept = {own.id, others[-1].id, checked_text("Another text.").id}
    assert set(app.session_state[state.CORPORA]) == kept
    assert "No longer kept: your own text (0.0 MB), your own text" in _said(app)
    app.button(key="dropped_texts.read").click().run()
    assert "No longer kept" not in _said(app)


def test_a_corpus_of_ones_own_is_at_hand_on_every_page_until_it_is_removed(model: ModelReference) -> None:
    app = _paste(open_page("search", lang="en", model=str(model)), LINES)
    (id_,) = app.session_state[state.CORPORA]
    app = go_to(app, "train")
    assert app.selectbox(key="corpus.id").value == id_ and id_ in str(app.query_params["draft"])
    app = go_to(app, "cost")
    app.session_state["cost.more.fairness"] = True
    app.run()
    assert id_ in app.multiselect(key="texts.chosen").value and id_ in str(app.query_params["texts"])
    app.button(key=f"corpus.remove.{id_}").click().run()
    assert not app.exception and not app.session_state[state.CORPORA]
    assert go_to(app, "train").selectbox(key="corpus.id").value == "ko"
    app = _paste(open_page("search", lang="en", model="toy.hug~vocab_size-264~min_count-1"), LINES)
    app.button(key=f"corpus.remove.{id_}").click().run()
    assert "files" not in app.query_params and "is not in this session" not in _said(app)


@pytest.mark.parametrize(("page", "param"), [("train", "draft"), ("cost", "texts")])
def test_no_page_misses_the_text_that_is_removed_there(page: str, param: str) -> None:
    own = checked_text(LINES)
    link = {"lang": "en", "model": "toy.hug~vocab_size-264~min_count-1", param: own.id}
    if page == "cost":
        link |= {"view": "texts", "with": "none"}
    app = open_page(page, _session(own), more="fairness", **link)
    assert not app.exception and own.id in str(app.query_params[param])
    app.button(key=f"corpus.remove.{own.id}").click().run()
    assert not app.exception and not app.session_state[state.CORPORA]
    assert "is not in this session" not in _said(app) and "not here" not in _said(app)
    assert own.id not in str(app.query_params)


def _columns(app: AppTest) -> list[set[str]]:
    return [set(map(str, frame.value)) for frame in app.dataframe]


def test_nothing_beside_the_numbers_of_a_model_is_counted_in_another_text(
    model: ModelReference, registry: Registry
) -> None:
    path = registry.models.find(model.key(checked_text(LINES).digest))
    assert path is not None
    registry.models.write("file.0123", path.read_bytes())  # trained on a text that is not here
    app = open_page("token", lang="en", model="file.0123", find="나무에", more="all")
    assert "sentences come from" in _said(app)
    assert any({"prefix", "count"} <= columns for columns in _columns(app))
    assert not any({"prefix", "be"} <= columns or "difference" in columns for columns in _columns(app))


def test_no_other_text_stands_for_ones_own(model: ModelReference) -> None:
    app = open_page("token", lang="en", model=str(model), find="나무에", more="all")
    assert "sentences come from" not in _said(app) and "Cannot be shown: the training text" in _said(app)
    assert not any({"prefix", "sentence", "difference"} & columns for columns in _columns(app))
    app = open_page("token", _session(checked_text(LINES)), lang="en", model=str(model), find="나무에", more="all")
    assert "Cannot be shown" not in _said(app)
    assert any({"prefix", "be"} <= columns for columns in _columns(app))
    assert any("difference" in columns for columns in _columns(app))


def _give(app: AppTest, text: str) -> AppTest:
    app.text_area(key="missing_texts.pasted").set_value(text).run()
    assert not app.exception
    return app


def _url(app: AppTest) -> dict[str, Any]:
    return {name: value for name, value in app.query_params.items() if name != "check"}


def test_a_link_to_figures_of_ones_own_texts_says_which_and_waits_for_them(model: ModelReference) -> None:
    texts = [checked_text(LINES, "나의 글.txt"), checked_text("나무에 새가 앉았다.\n새가!", "b.txt")]
    link = {"lang": "en", "more": "fairness", "with": "none", "texts": ",".join(one.id for one in texts)}
    made = open_page("cost", _session(*texts), model=str(model), **link)
    link = _url(made)
    figures = _texts(made)
    assert figures == {"나의 글.txt", "b.txt"}
    opened = open_page("cost", **link)
    for one, lines in zip(texts, (9, 2), strict=True):
        assert f"{one.name}**: {lines} lines, SHA-256 `{one.digest}…`" in _said(opened)
    assert _url(opened) == link and not _texts(opened)
    _give(opened, "Something else.")
    assert "Different text" in opened.error[0].value and _url(opened) == link
    _give(opened, texts[1].text or "")
    assert _url(opened) == link and _texts(opened) == {"b.txt"}
    _give(opened, LINES)
    assert _url(opened) == link and _texts(opened) == figures
    assert "SHA-256 `" not in _said(opened)


def test_an_old_link_names_the_hash_of_a_text_alone(registry: Registry) -> None:
    source = checked_text(LINES, "a.txt")
    app = open_page("scores", lang="en", model=f"{source.id}~algorithm-characters")
    assert f"your own text**: SHA-256 `{source.digest}…`" in _said(app) and "own" not in app.query_params
    _give(app, LINES)
    assert list(app.session_state[state.CORPORA]) == [source.id] and "SHA-256 `" not in _said(app)


def test_a_draft_waits_for_its_text(registry: Registry) -> None:
    source = checked_text(LINES)
    made = _paste(open_page("train", lang="en"), LINES)
    link = _url(made)
    assert (link["draft"], link["own"]) == (source.id, f"~{source.digest} 9 ")
    opened = open_page("train", **link)
    assert "9 lines" in _said(opened) and _url(opened) == link
    _give(opened, LINES)
    assert opened.selectbox(key="corpus.id").value == source.id and _url(opened) == link


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """A library of the test's own."""
    own = SqliteStore(tmp_path / "library")
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(own))
    return own


@pytest.mark.parametrize("keeps", [True, False])
def test_a_saved_run_has_its_text_where_its_owner_kept_it(
    model: ModelReference, library: SqliteStore, keeps: bool
) -> None:
    app = open_page("train", {**_session(checked_text(LINES, "a.txt")), "owner": "m" * 32}, model=str(model))
    app.checkbox(key="library.keeps_text").set_value(keeps)
    next(button for button in app.button if button.label in ("Save", "모델 저장")).click().run()
    assert not app.exception and not app.error
    (run,) = library.runs.all()
    assert library.runs.corpus(run.id) == (LINES if keeps else None)
    opened = open_page("token", lang="en", model=f"run.{run.id}", find="나무에", more="all")
    assert [text.name for text in opened.session_state[state.CORPORA].values()] == ["a.txt"] * keeps
    assert ("sentences come from" in _said(opened)) is not keeps
    assert any({"prefix", "be"} <= columns for columns in _columns(opened)) is keeps


def test_a_built_in_corpus_is_not_kept_with_a_run(registry: Registry, library: SqliteStore) -> None:
    app = open_page("train", {"owner": "m" * 32}, model="shipped:byte-bpe-32k")
    assert not app.checkbox


@pytest.mark.slow
def test_a_text_is_back_where_its_visitor_connects_to_another_process(
    model: ModelReference, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SqliteStore(tmp_path / "library")
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    mine: dict[str, Any] = {state.OWNER: "a-secret-of-mine-in-the-browser"}
    link: dict[str, str] = {"lang": "en", "model": str(model)}
    open_page("search", mine | _session(checked_text(LINES)), **link)
    assert library.texts.count() == 0  # one process keeps nothing
    monkeypatch.setenv("THUNDER_TOK_PROCESSES", "2")
    link = _url(_paste(open_page("search", mine, **link), LINES))
    for who, is_back in ((mine, True), ({state.OWNER: "a-secret-of-somebody-else"}, False), (mine, True)):
        app = open_page("search", who, **link)
        assert (checked_text(LINES).id in app.session_state[state.CORPORA]) is is_back
        assert ("is not in this session" in _said(app)) is not is_back
    assert library.texts.owned(mine[state.OWNER]) == []  # of links only
    app.button(key=f"corpus.remove.{checked_text(LINES).id}").click().run()
    assert library.texts.count() == 0 and "is not in this session" in _said(open_page("search", mine, **link))
