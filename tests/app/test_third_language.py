"""A made-up third language, one line and a column with gaps: everything speaks it, and English where it is silent."""

import json
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from app.classroom.lessons import LESSONS, PAYS_MODEL, PLANS, Lesson, asked_in
from app.classroom.phone import join
from app.classroom.phone.guesses import Guesses
from app.classroom.questions.cuts import Cuts
from app.classroom.questions.question import Question
from app.classroom.room.live import Live
from app.classroom.room.posed_question import step_of
from app.classroom.serving import class_routes
from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server import library as kept
from app.server.http.addresses import Missing, routes
from app.server.store.opening import SqliteStore
from app.session import state
from app.texts.catalogue import LANGUAGES, catalogue, error_text, translate
from engine import messages
from engine.cli import main
from engine.errors import InputError
from engine.evidence import show
from engine.public.load import is_available
from tests.app import test_i18n
from tests.menu import VIEWS
from tests.pages import PAGES, open_page, settle, when_made

CODE, NAME = "xx", "Xish"
_TAUGHT = [lesson for lesson in LESSONS.values() if lesson.checks]


def _is_given(key: str) -> bool:
    """Whether the column has the text: about every other one."""
    return zlib.crc32(key.encode()) % 2 == 0


@pytest.fixture(autouse=True)
def _a_third_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its texts are the English ones in brackets."""
    monkeypatch.setitem(LANGUAGES, CODE, NAME)
    for known in (catalogue(), messages._texts(), show._texts()):
        for key, texts in known.items():
            if _is_given(key):
                monkeypatch.setitem(texts, CODE, f"⟦{texts['en']}⟧")


# ---- what is seen


def _strings(value: Any) -> Iterator[str]:
    """Every text within a message, and within the JSON that it carries."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
    elif isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            with suppress(ValueError):
                yield from _strings(json.loads(value))


def _seen(app: AppTest) -> set[str]:
    protos = (getattr(node, "proto", None) for node in app._tree)
    return {text for proto in protos if proto is not None for text in _strings(MessageToDict(proto))}


def _check(seen: set[str]) -> None:
    """Whole texts of the catalogue are Xish where there is one, else English, and none is Korean.

    One word or two may as well be a token, a name that nobody sees, or what another text is when it is filled.
    """
    keys: dict[str, list[str]] = defaultdict(list)
    for key, texts in catalogue().items():
        for language, text in texts.items():
            if language != "ko" or texts.get("en") != text:
                keys[text].append(f"{language} {key}")
    found = {text: keys[text] for text in seen if len(text.split()) > 2 and text in keys}
    for text, wanted in found.items():
        assert not all(one.startswith("ko ") for one in wanted), (text, wanted)
        assert not all(one.startswith("en ") and _is_given(one[3:]) for one in wanted), (text, wanted)
    assert found


def _shown(app: AppTest) -> AppTest:
    assert not app.exception
    assert "\ufffd" not in str(app)
    _check(_seen(app))
    return app


def _whole(app: AppTest) -> AppTest:
    """The page when all that it waits for is there."""
    return _shown(when_made(settle(app)))


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
@pytest.mark.parametrize("page", PAGES)
def test_every_view_speaks_it(page: str) -> None:
    param, views = VIEWS.get(page, ("view", ("",)))
    for view in views:
        app = _whole(open_page(page, lang=CODE, **{param: view}))
        titles = {f"{page}.title", f"frame.view.{page}_{view}"} & {*catalogue()}
        assert app.title[0].value in {translate(key, CODE) for key in titles}
        assert app.segmented_control(key="language_switch").value == CODE


# ---- the class


def _answer(question: Question[Any]) -> str:
    """The right answer; where there is none, any."""
    return question.write(() if isinstance(question, Cuts) else question.solution or "word")


def _lesson(lesson: Lesson, **params: str) -> AppTest:
    return _shown(open_page("lessons", lang=CODE, plan="90", lesson=lesson.id, **params))


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", ["bpe", "unigram"])  # the others: a class is taught in it
def test_who_learns_alone_reads_it(name: str) -> None:
    lesson = LESSONS[name]
    question, check = asked_in(lesson, CODE, is_available(PAYS_MODEL))
    assert check is not None
    _lesson(lesson)
    guess = _answer(question)
    _shown(settle(_lesson(lesson, stage="reveal", guess=guess)))
    app = _lesson(lesson, stage="understand", guess=guess, reply=_answer(check))
    assert translate("lessons.verdict.right", CODE) in "\n".join(_seen(app))


def test_the_exit_ticket_speaks_it() -> None:
    _lesson(LESSONS["exit"])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    store = SqliteStore(tmp_path)
    monkeypatch.setattr(kept, "opened", lambda: kept.Opened(store))
    monkeypatch.setattr(join, "LIVE", Live())
    monkeypatch.setattr(join, "GUESSES", Guesses())
    join._views.clear()
    return store


@pytest.fixture
def client() -> TestClient:
    names = [page for page in PAGES if page != "explore"]
    own = [*routes(["explore", *names]), *class_routes(), *create_streamlit_static_assets_routes("")]
    return TestClient(Starlette(routes=own, middleware=[Middleware(Missing)]))


def _press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    _shown(app)


def test_phones_are_asked_in_it_about_english_words(store: SqliteStore, client: TestClient) -> None:
    room = rooms_of(store).open("lecturer", CODE, RoomState())
    for lesson in LESSONS.values():
        asked = asked_in(lesson, CODE, is_available(PAYS_MODEL))
        assert asked == asked_in(lesson, "en", is_available(PAYS_MODEL))
        for part, question in zip(("question", "check"), asked, strict=True):
            if question is None:
                continue
            room = room._replace(step=step_of(lesson.id, CODE, part == "check"), is_open=True)
            room = rooms_of(store).change(room, "lecturer")
            student = {"X-Student": "a" * 24}
            view = client.get(f"/join/state?room={room.id}&after=0&lang={CODE}", headers=student).json()
            assert view["lang"] == CODE and view["question"]["kind"] == question.kind
            assert view["prompt"].startswith("⟦") == _is_given(f"lesson.{lesson.id}.{part}")
            sent = {"room": room.id, "student": "a" * 24, "step": room.step, "answer": _answer(question), "turn": 1}
            assert client.post("/join/answer", json=sent).json()["taken"]
    refused = client.get(f"/join/state?room={'z' * 22}&after=0&lang={CODE}", headers=student)
    assert refused.status_code == 404
    assert refused.json()["error"].startswith("⟦") == _is_given("error.room.gone")


@pytest.mark.slow
@pytest.mark.usefixtures("shared_registry")
def test_a_class_is_taught_in_it(store: SqliteStore) -> None:
    app = open_page("lessons", {state.OWNER: "k" * 32}, lang=CODE, plan="90")
    _press(app, "lessons.room.open")
    for lesson in _TAUGHT:
        assert rooms_of(store).find(app.session_state["lessons.room"]).step == step_of(lesson.id, CODE)
        for act in ("room.simulate", "reveal", "understand", "room.simulate", "room.reveal", "next"):
            _press(app, f"lessons.{act}")
            settle(app)
    _press(app, "lessons.room.simulate")
    _press(app, "lessons.room.reveal")


@pytest.mark.parametrize("plan", PLANS)
def test_the_handout_speaks_it(plan: str, client: TestClient) -> None:
    page = client.get(f"/handout?plan={plan}&lang={CODE}").text
    assert f'<html lang="{CODE}">' in page
    for lesson in PLANS[plan].by_name:
        for part in ("name", "goal"):
            key = f"lesson.{lesson}.{part}"
            assert f"{'⟦' * _is_given(key)}{catalogue()[key]['en'][:9]}" in page.replace("&#x27;", "'")


@pytest.mark.parametrize(
    "asked", [{"url": f"/join?lang={CODE}"}, {"url": "/join", "headers": {"Accept-Language": CODE}}]
)
def test_the_page_of_a_phone_speaks_it(asked: dict[str, Any], client: TestClient) -> None:
    page = client.get(**asked).text
    labels = json.loads(page.partition('id="labels">')[2].partition("</script>")[0])
    assert f'<html lang="{CODE}">' in page
    assert {_is_given(f"room.phone.{name}") for name in labels} == {True, False}
    for name, text in labels.items():
        texts = catalogue()[f"room.phone.{name}"]
        assert text == (texts[CODE] if _is_given(f"room.phone.{name}") else texts["en"])


@pytest.mark.parametrize("asked", [{"url": f"/?lang={CODE}"}, {"url": "/", "headers": {"Accept-Language": CODE}}])
def test_the_first_picture_speaks_it(asked: dict[str, Any], client: TestClient) -> None:
    page = client.get(**asked).text
    assert f'<html lang="{CODE}">' in page and f'<main id="first-picture" lang="{CODE}">' in page
    for key in [key for key in catalogue() if key.startswith("first.") and "{" not in catalogue()[key]["en"]]:
        text = f"{'⟦' * _is_given(key)}{catalogue()[key]['en']}"
        assert f">{text}" in page or f"</strong>: {text}" in page


def test_a_language_of_three_letters_is_not_taken_for_another(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/join", headers={"Accept-Language": f"{CODE}y, kok;q=0.9"}).text


def test_where_nothing_is_it_is_said_in_the_languages_that_say_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(catalogue()["frame.missing"], CODE, raising=False)
    assert f'<p lang="{CODE}">' not in client.get("/nothing").text
    monkeypatch.setitem(catalogue()["frame.missing"], CODE, "⟦nothing⟧")
    assert f'<p lang="{CODE}">⟦nothing⟧' in client.get("/nothing").text


# ---- errors, and the command line


def _errors(given: bool) -> list[str]:
    """Codes of errors that quote nothing."""
    errors = {key: texts["en"] for key, texts in catalogue().items() if key.startswith("error.")}
    return [
        key.removeprefix("error.")
        for key, text in errors.items()
        if _is_given(key) == given and "{" not in text and not key.startswith("error.what.")
    ]


def test_an_error_is_said_in_it_or_in_english() -> None:
    given, silent = (InputError(_errors(is_given)[0]) for is_given in (True, False))
    assert error_text(given, CODE) == f"⟦{given}⟧"
    assert error_text(silent, CODE) == error_text(silent, "en")
    cause = InputError("file.named", path="a.txt", cause=given)
    assert f"⟦{given}⟧" in error_text(cause, CODE)


def test_the_command_line_speaks_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", f"{CODE}_XX.UTF-8")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0 and "Train tokenizers" in capsys.readouterr().out
    for is_given, said in ((True, "⟦{}⟧\n"), (False, "{}\n")):
        error = InputError(_errors(is_given)[0])
        monkeypatch.setattr("engine.commands.models.run", _failing(error))
        assert main(["models"]) == 2
        assert capsys.readouterr().err == said.format(error)


def _failing(error: InputError) -> Any:
    def run(options: object) -> None:
        raise error

    return run


def test_the_claims_of_papers_are_printed_in_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", CODE)
    assert main(["papers", "--json"]) == 0
    for row in json.loads(capsys.readouterr().out):
        if row["claim"]:
            assert row["says"].startswith("⟦") == _is_given(f"papers.claim.{row['claim']}")


# ---- what it lacks


def test_what_it_lacks_is_listed() -> None:
    with pytest.raises(pytest.xfail.Exception) as listed:
        test_i18n.test_what_a_further_language_lacks_is_listed()
    lacking = [key for key in sorted(catalogue()) if not _is_given(key)]
    head = f"{CODE} lacks {len(lacking)} of {len(catalogue())} texts: "
    assert str(listed.value) == head + " ".join(lacking) and len(lacking) > 1000
    for check in (
        test_i18n.test_every_text_is_there_in_korean_and_english_and_in_no_unknown_language,
        test_i18n.test_languages_have_equal_placeholders,
    ):
        check()
