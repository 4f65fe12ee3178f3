"""Tokenizers of the hub in the app: fetched by a worker, then a file that the visitor has brought, on every page."""

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from app.server.limits import Limits
from app.server.work.jobs import registry
from app.session import state
from app.session.reference import ModelReference
from app.texts.corpora import parallel_texts
from tests.conftest import wait_until
from tests.engine.public.test_hub import bpe
from tests.hub_server import HubServer, endless, send
from tests.pages import PAGES, go_to, open_page, refresh, settle

pytestmark = pytest.mark.usefixtures("registry", "prepared")


# Every place where tokenizers are chosen.
_SETS = (
    ("explore", {"with": "none"}),
    ("cost", {"more": "fairness", "with": "none"}),
    ("cost", {"more": "fairness", "measured": "languages", "with": "none"}),
    ("compare", {"with": "none"}),
    ("learn_failures", {"models": "none", "topic": "words"}),
    ("boundaries", {"view": "scores", "gold": "zh_words"}),
    ("growth", {"view": "curves", "tokenizers": "bytes"}),
)


def _ask(app: AppTest, model: str) -> AppTest:
    app.text_input(key="hub.model").set_value(model)
    app.button(key="hub.load").click().run()
    assert not app.exception
    return app


def _problem(app: AppTest) -> str:
    assert "cannot be fetched" in app.error[0].value
    return app.text[-1].value


def test_a_tokenizer_of_the_hub_is_the_model_of_the_session(hub: HubServer) -> None:
    hub.files["owner/name"] = {"tokenizer.json": bpe()}
    app = refresh(_ask(open_page("train", lang="en"), "owner/name"))
    assert app.session_state[state.MODEL].startswith("file.")
    assert any("owner/name" in one.value.replace("\\", "") for one in app.success)
    # A second visitor waits for nobody, with no hub at all.
    hub.files.clear()
    other = _ask(open_page("train", lang="en"), "owner/name")
    assert other.session_state[state.MODEL] == app.session_state[state.MODEL]
    assert len(hub.asked) == 1


@pytest.mark.slow
def test_it_can_be_stopped(hub: HubServer) -> None:
    hub.files["a/b"] = {"tokenizer.json": endless(b"x" * 30_000, 0.01)}
    app = _ask(open_page("train", lang="en"), "a/b")
    wait_until(lambda: registry().view(app.session_state["hub.job"]).result)
    app.run()
    assert "received" in str(app.get("progress")[0].proto)
    app.button(key="hub.cancel").click().run()
    assert registry().is_idle
    app.run()
    assert not app.error and not app.exception and "hub.job" not in app.session_state


def test_what_cannot_be_fetched(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.limits._server_limits", lambda: Limits(upload_mb=1))
    hub.files["a/large"] = {"tokenizer.json": send(b"x", 1_000_001)}
    hub.files["a/wrong"] = {"tokenizer.json": b"<html>"}
    app = open_page("train", lang="en")
    for model, said in {
        "a b": "is not a model id",
        "a/missing": "The hub has no public model a/missing",
        "a/large": "THUNDER_TOK_MAX_UPLOAD_MB",
        "a/wrong": "not a supported tokenizer file",
    }.items():
        assert said in _problem(refresh(_ask(app, model)))
        assert said in _problem(app.run())  # until something else is asked for
    assert state.KNOWN not in app.session_state


@pytest.fixture(scope="module")
def byte_level() -> bytes:
    """A tokenizer.json that knows some Korean and some English."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    lines = [*parallel_texts()["ko"], *parallel_texts()["en"]]
    made.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=700, initial_alphabet=made.pre_tokenizer.alphabet(), show_progress=False)
    )
    return made.to_str().encode()


def _chips(app: AppTest) -> list[str]:
    return [one.replace("\\", "") for one in app.pills(key="set.others").options]


def _shown(app: AppTest) -> str:
    tables = [one.value.reset_index() for one in app.dataframe]
    texts = [one.value.replace("\\", "") for one in app.markdown]
    return " ".join([*texts, *(str([*table.columns, *table.to_numpy().ravel()]) for table in tables)])


def test_a_tokenizer_that_is_added_is_a_chip(hub: HubServer, byte_level: bytes) -> None:
    hub.files["owner/name"] = {"tokenizer.json": byte_level}
    app = open_page("explore", lang="en", more="all", **{"with": "none"})
    assert not [one for one in app.pills if one.key == "set.others"]
    app = refresh(_ask(app, "owner/name"))
    assert _chips(app) == ["owner/name"]
    assert app.dataframe[0].value["name"].tolist() == ["Thunder-Tok", "owner/name"]
    assert app.query_params["and"].startswith("file.")


@pytest.mark.slow
def test_every_choice_of_tokenizers_has_the_chip(hub: HubServer, byte_level: bytes) -> None:
    hub.files["owner/name"] = {"tokenizer.json": byte_level}
    known = refresh(_ask(open_page("train", lang="en"), "owner/name")).session_state[state.KNOWN]
    session = {state.KNOWN: known, state.FILE_NAMES: dict.fromkeys(known, "owner/name")}
    for page, params in _SETS:
        app = settle(open_page(page, session, **{"lang": "en", "more": "all", **params}))
        assert _chips(app) == ["owner/name"] and app.pills(key="set.others").value == [], (page, params)
        app.pills(key="set.others").set_value(list(known)).run()
        settle(app)
        assert not app.exception and not app.error, (page, params)
        assert "owner/name" in _shown(app), (page, params)


# What knows next to nothing: a character is refused, or left out.
_POOR = {
    "unigram": models.Unigram([("a", -1.0), ("나", -2.0), (" ", -3.0)], None, False),
    "bpe": models.BPE({"a": 0}, []),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["good", *_POOR])
def test_every_page_has_something_to_say_about_any(hub: HubServer, byte_level: bytes, name: str) -> None:
    content = byte_level if name == "good" else Tokenizer(_POOR[name]).to_str().encode()
    hub.files["owner/name"] = {"tokenizer.json": content}
    app = refresh(_ask(open_page("train", lang="en"), "owner/name"))
    for page in PAGES:
        settle(go_to(app, page))
        assert app.session_state[state.MODEL].startswith("file.")
        said = " ".join(one.value for one in (*app.error, *app.text))
        assert not app.error or (name == "unigram" and "is not in the imported vocabulary" in said), page
    known = app.session_state[state.KNOWN]
    word = next(iter(known))
    for page, params in _SETS if name in _POOR else ():  # the good one is chosen above
        beside = settle(open_page(page, {state.KNOWN: known}, lang="en", **params, **{"and": word}))
        assert not beside.error, (page, params)  # the others are shown


@pytest.mark.slow
def test_files_of_one_name_are_two_chips(hub: HubServer) -> None:
    words = ["file." + "0" * 24, "file." + "1" * 24]
    names = {state.KNOWN: {word: ModelReference(word) for word in words}, state.FILE_NAMES: dict.fromkeys(words, "x")}
    app = open_page("explore", names, lang="en", more="all", **{"with": "none"})
    assert len(set(_chips(app))) == 2


def test_a_hub_that_is_switched_off_is_not_offered(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THUNDER_TOK_HUB", "off")
    assert not [one for one in open_page("train", lang="en").text_input if one.key == "hub.model"]
