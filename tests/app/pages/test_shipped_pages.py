"""Every page with the model of a first visit, which comes with the program and does not hold its first rounds."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.server.library import Opened
from app.server.store.opening import SqliteStore
from app.session.reference import FIRST_MODEL, first_reference
from engine.model_files import tokenizer_from_bytes
from engine.shipped.catalogue import load_shipped
from tests.pages import PAGES, go_to, open_page, refresh

pytestmark = pytest.mark.usefixtures("shared_registry", "first_visit")

FIRST_ROUND = 3


@pytest.fixture
def first_visit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No model is named: the session's is the one that a first visitor sees."""
    monkeypatch.delenv(FIRST_MODEL)
    first_reference.cache_clear()
    yield
    first_reference.cache_clear()


def _said(app: AppTest) -> str:
    return "\n".join(str(one.value) for one in [*app.markdown, *app.caption, *app.info])


def _is_whole(app: AppTest) -> None:
    """Something is below the title, and nothing went wrong."""
    assert not app.exception and not app.error and not app.warning
    assert len(app.title) == 1 and (app.markdown or app.info)
    assert "\ufffd" not in str(app)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page(page: str) -> None:
    _is_whole(refresh(open_page(page, lang="en")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "params"),
    [
        ("scores", {"view": "distributions", "shape": "rank"}),
        ("scores", {"find": "␣대한민국", "round": "9", "box": "-4_-3_5_9"}),
        ("rounds", {"find": "␣참여에", "removed": "long"}),
        ("token", {"find": "␣대한민국", "units": "nat"}),
        ("token", {"find": "A"}),
        ("token", {"find": "아무것도 아닌 글"}),
        ("token", {"view": "vocabulary", "search": "ㅎㄱ"}),
        ("lattice", {"in_round": "3", "forbid": "WyLri6TslpHtlZwiXQ"}),
        ("growth", {"view": "matrix"}),
        ("cost", {"more": "fairness", "measured": "texts"}),
        ("compare", {"view": "ablation"}),
    ],
)
def test_views_of_pages(page: str, params: dict[str, str]) -> None:
    _is_whole(open_page(page, lang="en", **params))


@pytest.mark.parametrize("number", range(FIRST_ROUND))
def test_distributions_of_rounds_without_tokens(number: int) -> None:
    app = open_page("scores", lang="en", view="distributions", shape="early", early=str(number + 1))
    _is_whole(app)
    report = load_shipped("thunder-tok-32k").pruning.rounds[number]
    assert f"It began with {report.vocab_size:,} tokens and removed {report.n_removed:,} of them" in _said(app)


def test_the_twin_needs_the_text_and_offers_a_model_that_has_it() -> None:
    app = open_page("rounds", lang="en", versus="true")
    assert "is not stored here" in _said(app)
    app.button(key="model.use_builtin").click().run()
    assert app.session_state["model"] == "ko"


@pytest.mark.slow
def test_export_and_file() -> None:
    app = open_page("train", lang="en", to="hf")
    assert any("Thunder-Tok 32k" in one.value.replace("\\", "") for one in app.markdown)
    app.button(key="export.make").click().run()
    assert not app.exception and not app.error
    _, made = app.session_state["export.made"]
    assert made.checked_lines > 2000 and len(json.loads(made.data)["model"]["vocab"]) == 32_000


@pytest.mark.slow
def test_saving_to_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = SqliteStore(tmp_path)
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    app = open_page("train", {"owner": "m" * 32}, lang="en")
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception and not app.error
    (run,) = library.runs.all()
    saved = load_shipped("thunder-tok-32k")
    again = tokenizer_from_bytes(library.runs.model(run.id))
    assert (run.corpus_id, again.vocab_size) == ("shipped:thunder-tok-32k", saved.vocab_size)
    app.button(key="library.open").click().run()
    _is_whole(go_to(app, "rounds"))
