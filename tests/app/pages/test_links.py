"""Every link of `tests/links.py` shows what it showed when it was recorded, opened as a visitor opens it."""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from app.classroom.serving import class_routes
from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.http.addresses import MOVED, Missing, routes
from app.server.http.headers import ANCESTORS_VARIABLE, PICTURES, QUESTION, Headers
from app.server.library import Opened, new_run
from app.server.store.opening import SqliteStore
from app.session import state
from app.session.reference import FIRST_MODEL, first_reference
from engine import train
from engine.config import TrainingSettings
from tests.links import LINKS, LONG_TEXT, RUN_NAME, Link
from tests.menu import PAGES, VIEWS
from tests.pages import open_page, settle, when_made
from tests.seen import seen
from tests.url_parameters import url_parameters

_ME = "m" * 32
_SITE = "https://slides.example.org"
_PLAIN = {"handout", "join", "report"}  # pages that are not Streamlit's


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The addresses of the server, with its headers; one site may frame its figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ANCESTORS_VARIABLE, _SITE)
        all_routes = [*routes(list(PAGES)), *class_routes()]
        yield TestClient(Starlette(routes=all_routes, middleware=[Middleware(Headers), Middleware(Missing)]))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the library keeps, as the links name it; and the server of a first visit, which names no model."""
    library = SqliteStore(tmp_path_factory.mktemp("library"))
    model = train(["hug pug bun hugs"] * 9, TrainingSettings(vocab_size=264, min_count=1))
    model.save(path := tmp_path_factory.mktemp("run") / "model.tok")
    room = rooms_of(library).open(_ME, "ko", RoomState())
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(FIRST_MODEL)
        patch.setattr("app.server.library._server_library", lambda: Opened(library))
        first_reference.cache_clear()
        yield {
            "run": library.runs.save(new_run(RUN_NAME, "toy.hug", "hug", model, path.read_bytes()), _ME),
            "text": library.texts.save(LONG_TEXT, _ME),
            "room": room.id,
            "code": room.code,
        }
    first_reference.cache_clear()


def _filled(text: str, kept: dict[str, str]) -> str:
    """With the ids of what the library keeps."""
    return re.sub(r"{(run|text|room|code)}", lambda match: kept[match[1]], text)


def _open(client: TestClient, address: str) -> tuple[str, AppTest | None]:
    """What an address shows, as soon as it is at rest; the page, where it is one of the app."""
    answer = client.get(quote(address, safe="/?&=%"))
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    is_figure = f"frame-ancestors {_SITE}" in answer.headers["content-security-policy"]
    assert is_figure == ("figure=" in address), f"{address}: who may frame it"
    if "window.__streamlit" not in answer.text:
        return answer.text, None
    found = Link(str(answer.url), ())
    page = urlsplit(found.address).path.strip("/")
    app = settle(open_page(page or PAGES[0], {"owner": _ME}, **found.params))
    assert bool(app.title) != (f"figure={QUESTION}" in address), f"{address}: a question alone has no title"
    return seen(app), app


def _missing(client: TestClient, link: Link, kept: dict[str, str]) -> list[str]:
    """What is not there of all that the link shows."""
    text, app = _open(client, _filled(link.address, kept))

    def missing() -> list[str]:
        return [one for one in link.shows if _filled(one, kept) not in text]

    # What is made in the background may ask for more of it; the browser's polling would show both.
    for _ in range(2):
        if missing() and app is not None:
            text = seen(when_made(app))
    return missing()


@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize(
    "link", [pytest.param(link, id=link.address, marks=[pytest.mark.slow] * link.is_slow) for link in LINKS]
)
def test_a_link_shows_what_it_showed(client: TestClient, kept: dict[str, str], link: Link) -> None:
    assert _missing(client, link, kept) == []


def _richest() -> dict[str, Link]:
    """By page, the link with the most parameters."""
    quick = sorted((link for link in LINKS if not link.is_slow), key=lambda link: len(link.params))
    return {link.page or PAGES[0]: link for link in quick}


@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize("page", sorted(set(_richest()) & set(PAGES)))
def test_a_visitor_goes_back_to_a_link(
    client: TestClient, kept: dict[str, str], page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, app = _open(client, _filled(_richest()[page].address, kept))
    assert app is not None
    monkeypatch.setattr(state, "_is_history_navigation", lambda: True)
    app.run()
    assert not app.exception, app.exception


def _recorded(name: str) -> set[tuple[str, str]]:
    """Page and value of every link that has the parameter."""
    return {(link.page or PAGES[0], value) for link in LINKS for value in link.params.get(name, ())}


def test_every_page_has_a_link() -> None:
    assert {link.page or PAGES[0] for link in LINKS} - _PLAIN - set(MOVED) == set(PAGES)


def test_every_part_of_a_page_has_a_link() -> None:
    """The first one too, which the address of the page shows without naming it."""
    parts = {(page, view) for page, (_, views) in VIEWS.items() for view in views}
    assert len(parts) > 25
    unnamed = {(link.page or PAGES[0], "") for link in LINKS if not {"view", "tab"} & set(link.params)}
    recorded = {(page, part) for name in ("view", "tab") for page, part in _recorded(name)}
    missing = parts - recorded
    # One of each page is the usual one.
    assert {page for page, _ in missing} <= {page for page, _ in unnamed}
    assert len(missing) == len({page for page, _ in missing}), sorted(missing)


def test_every_parameter_has_a_link() -> None:
    recorded = {name for link in LINKS for name in link.params}
    assert set(url_parameters()) - recorded == set()


def test_the_parameters_of_all_pages_are_known() -> None:
    found = set(url_parameters())
    assert len(found) > 80 and {"text", "round", "search", "regex", "em_step", "hex", "and", "lattice.nbest"} <= found


def test_every_kind_of_state_has_a_link() -> None:
    assert {lesson for _, lesson in _recorded("lesson")} >= {"bpe", "exit"}
    assert {stage for _, stage in _recorded("stage")} == {"reveal", "understand"}
    assert {figure for _, figure in _recorded("figure")} == {*PICTURES, QUESTION}
    assert any(len(values) > 1 for link in LINKS for values in link.params.values())


def test_the_link_of_a_room_tells_a_phone_what_is_asked(client: TestClient, kept: dict[str, str]) -> None:
    answer = client.post("/join/find", json={"code": kept["code"]})
    assert answer.json() == {"room": kept["room"]}
    told = client.get(f"/join/state?room={kept['room']}&after=0", headers={"X-Student": "a" * 24})
    assert told.status_code == 200 and "seconds" in told.json()


def test_the_first_page_is_found_by_its_name_and_without(client: TestClient) -> None:
    answer = client.get(f"/{PAGES[0]}?text=%EA%B0%80&text=b", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "./?text=%EA%B0%80&text=b")
