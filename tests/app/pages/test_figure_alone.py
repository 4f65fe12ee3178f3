"""One figure alone: nothing beside it, nothing that leads on, and framed only by sites that the server names."""

import random
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from app.parts.tables.segmentation import joined_surrogates
from app.server.http.addresses import routes
from app.server.http.headers import (
    ANCESTORS_VARIABLE,
    NOT_ALONE,
    PICTURE,
    PICTURES,
    QUESTION,
    Headers,
    _is_figure,
    frame_ancestors,
    policy,
)
from app.server.work.jobs import Registry, Request
from app.session.figure import FIGURE
from app.session.training import ensure_trained
from app.texts.catalogue import translate
from app.texts.corpora import builtin_corpus
from engine.config import TrainingSettings
from engine.errors import InputError
from tests.hostile import NASTY
from tests.pages import PAGES, facts, go_to, open_page
from tests.url_parameters import url_parameters

_SITES = "https://slides.example.org, https://*.example.edu:8443"
_MODEL = "shipped:thunder-tok-8k"
# In every run: the address keeps them, nobody sees them.
_FIELDS = {"lang", "model", "check"}
_PAGES = {"strip": "explore", "lattice": "lattice", "stepper": "learn_bpe"}


def _open(page: str, figure: str, **params: str) -> AppTest:
    return open_page(page, lang="en", figure=figure, **params)


def _components(app: AppTest) -> list[str]:
    """Names of the project's own components on the page."""
    return [node.proto.component_name for node in app._tree if node.type == "bidi_component"]


def _controls(app: AppTest) -> list[str]:
    """Whatever can be worked, other than in the figure, or followed."""
    kinds = (
        "button",
        "button_group",
        "text_area",
        "toggle",
        "slider",
        "select_slider",
        "selectbox",
        "multiselect",
        "number_input",
        "checkbox",
        "download_button",
        "file_uploader",
        "page_link",
        "expander",
        "popover",
    )
    fields = [node.key for node in app.text_input if node.key not in _FIELDS]
    return [node.type for node in app._tree if node.type in kinds] + [str(key) for key in fields]


def _said(app: AppTest) -> str:
    (info,) = [one.value for one in app.info]
    return info


def _server(monkeypatch: pytest.MonkeyPatch, sites: str) -> TestClient:
    monkeypatch.setenv(ANCESTORS_VARIABLE, sites)
    return TestClient(Starlette(routes=routes(["explore", "lattice"]), middleware=[Middleware(Headers)]))


@pytest.mark.parametrize(
    "address", ["/?figure=strip&embed=true", "/lattice?lang=en&figure=lattice", "/lattice?figure=picture&embed=true"]
)
def test_sites_that_are_named_may_frame_a_figure(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    headers = _server(monkeypatch, _SITES).get(address).headers
    sites = ("https://slides.example.org", "https://*.example.edu:8443")
    assert headers["content-security-policy"] == policy(sites)
    assert f"frame-ancestors {' '.join(sites)}" in policy(sites)
    assert "x-frame-options" not in headers and headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/lattice?embed=true",
        "/?figure=",
        "/?figure=all",
        "/?figure=strip&figure=x",
        "/?FIGURE=strip",
        "/?text=figure%3Dstrip",
        "/nowhere",
        "/train?figure=picture",
        "/train?figure=stepper&embed=true",
        "/app/join?figure=picture&embed=true",
    ],
)
def test_nobody_may_frame_anything_else(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    headers = _server(monkeypatch, _SITES).get(address).headers
    assert headers["content-security-policy"] == policy() and headers["x-frame-options"] == "DENY"


def test_the_operator_may_let_the_named_sites_frame_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_TOK_FRAME_ALL", "on")
    headers = _server(monkeypatch, "https://spaces.example.org").get("/lattice").headers
    assert headers["content-security-policy"] == policy(["https://spaces.example.org"])
    assert "x-frame-options" not in headers
    headers = _server(monkeypatch, "").get("/lattice").headers
    assert headers["content-security-policy"] == policy() and headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("sites", ["", "nonsense", "*"])
def test_without_the_setting_nobody_may_frame_a_figure(monkeypatch: pytest.MonkeyPatch, sites: str) -> None:
    headers = _server(monkeypatch, sites).get("/?figure=strip&embed=true").headers
    assert headers["content-security-policy"] == policy() and headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in policy()


@pytest.mark.parametrize(
    "site",
    [
        "*",
        "https:",
        "https://*",
        "https://a.example/path",
        "data:",
        "'self'",
        "https://a..b",
        "https://a.example;script-src",
        "ftp://a.example",
        "https://é.example",
    ],
)
def test_what_is_no_origin_is_ignored(site: str) -> None:
    assert frame_ancestors({ANCESTORS_VARIABLE: f"{site} http://localhost:8000"}) == ("http://localhost:8000",)


def test_one_question_stands_alone_and_shows_its_answer_when_it_is_asked_for(registry: Registry) -> None:
    app = open_page("lessons", lang="en", figure="question", lesson="pays")
    assert not app.title and not app.sidebar.children and not app.button
    (slider,) = app.slider
    slider.set_value(2.0).run()
    assert "Computed" not in " ".join(node.value for node in app.markdown)
    (reveal,) = app.button  # neither a room nor a plan: only the answer
    reveal.click().run()
    assert "**Computed**: 2\\.2×" in " ".join(node.value for node in app.markdown)
    refused = open_page("lessons", lang="en", figure="question", lesson="own-1", plan="50")
    assert translate("alone.refused", "en") in _said(refused)


def test_an_unknown_figure_is_none(registry: Registry) -> None:
    app = _open("learn_bpe", "all")
    assert len(app.title) == 1
    # What the other tests do not find is found where it is.
    assert {"button_group", "slider", "expander"} <= set(_controls(app))
    assert len(app.sidebar.children) > 1


def _picture(page: str, **params: str) -> AppTest:
    return open_page(page, lang="en", figure=PICTURE, **params)


def test_the_main_picture_of_a_page_stands_alone(registry: Registry) -> None:
    app = _picture("cost")
    assert {*_components(app)} == {"browser"} and not app.sidebar.children
    # The page runs as it is; the style sheet leaves nothing of it but the picture (tests/browser/views/test_share.py).
    assert len(app.get("plotly_chart")) >= 1 and not facts(app)
    assert not [node for node in app.get("html") if str(node.proto.body).startswith("<button")]


@pytest.mark.parametrize("figure", _PAGES)
def test_figures_of_earlier_links_are_main_pictures(registry: Registry, figure: str) -> None:
    app = open_page(_PAGES[figure], lang="en", figure=figure, model=_MODEL)
    assert {figure, "browser"} <= {*_components(app)} and not app.sidebar.children
    assert not app.error and not app.warning


def test_it_stays_alone_whatever_the_address_says_later(registry: Registry) -> None:
    app = _picture("learn_bpe")
    del app.query_params[FIGURE]
    app.run()
    assert not app.sidebar.children
    go_to(app, "train")
    assert translate("alone.refused", "en") in _said(app) and _controls(app) == []


@pytest.mark.parametrize("page", sorted(NOT_ALONE & {*PAGES}))
def test_pages_of_what_visitors_keep_are_not_shown_alone(registry: Registry, page: str) -> None:
    app = _picture(page)
    assert translate("alone.refused", "en") in _said(app)
    assert _components(app) == ["browser"] and _controls(app) == []


def test_a_picture_alone_trains_nothing(registry: Registry) -> None:
    app = _picture("scores", model="ko~vocab_size-557")
    assert any(translate("alone.refused", "en") in one.value for one in app.info)
    assert registry.is_idle


def test_no_training_begins_in_a_session_of_a_figure(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> None:
    monkeypatch.setattr("app.session.training.figure_alone", lambda: PICTURE)
    monkeypatch.setattr("app.session.training.st", SimpleNamespace(session_state={}))
    with pytest.raises(InputError, match="figure"):
        ensure_trained(Request(builtin_corpus(), TrainingSettings(vocab_size=557)))
    assert registry.is_idle


_ODD = (
    "strip",
    "lattice",
    "stepper",
    "picture",
    "all",
    "",
    "STRIP",
    " strip",
    "strip\0",
    "strip;figure=x",
    "%73trip",
    "ｓtrip",
)
_NAMES = ("figure", "figure", "figure", "embed", "text", "Figure", "figure[]", "fi%67ure", "amp;figure", "figure%00")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_may_be_framed_is_a_figure_for_the_session_too(seed: int) -> None:
    """The answer's headers and the session read the address each on their own."""
    dice, n_framed = random.Random(seed), 0
    for _ in range(400):
        names = dice.choices(_NAMES, k=dice.randint(1, 3))
        query = "&".join(f"{name}={dice.choice(dice.choice((_ODD, _ODD, NASTY)))}" for name in names)
        query += dice.choice(("", "", "&", "&a" * 999, "&a" * 1000, "&a=1" * 5000))
        query = quote(query.encode("utf-8", "surrogatepass"), safe="&=;%+[]")
        if _is_figure({"type": "http", "query_string": query.encode()}):
            session = QueryParams()
            session.populate_from_query_string(query)
            assert session.get(FIGURE) in {*PICTURES, QUESTION}, query[:100]
            n_framed += 1
    assert n_framed > 10


@pytest.mark.slow
def test_odd_parameters_give_a_question_nothing_else(registry: Registry) -> None:
    dice, names = random.Random(QUESTION), [name for name in url_parameters() if name != FIGURE]
    for _ in range(6):
        values = {name: joined_surrogates(dice.choice(NASTY)).replace("\ufffe", "") for name in dice.sample(names, 12)}
        app = open_page("lessons", **{"model": _MODEL, **values, "lang": "en", "figure": QUESTION})
        assert set(_components(app)) <= {"cuts", "browser"}, values
        assert _controls(app) == [] and not app.title and not app.exception, values
    assert registry.is_idle
