"""Texts in links: every field of every page, compressed where short, kept under an id where long."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from app.parts.texts.text_link import unlink_text
from app.server.library import Opened
from app.server.store.opening import SqliteStore
from app.server.work.jobs import Registry
from app.session.state import MAX_TEXT_IN_URL, pack_text, unpack_text
from app.texts.corpora import builtin_corpus
from tests.pages import open_page, settle, write

# (page, parameter, key of the field, characters that it takes); these need no model.
_ANY = 5000
FIELDS = [
    ("learn_bytes", "text", "learn_bytes.text", 2000),
    ("learn_bytes", "unknown", "learn_bytes.fallback", 100),
    ("learn_bpe", "words", "learn_bpe.words", _ANY),
    ("learn_bpe", "word", "learn_bpe.word", 200),
    ("learn_bpe?view=wordpiece", "tokens", "learn_bpe.more_tokens", 400),
    ("learn_unigram", "words", "learn_unigram.words", _ANY),
    ("learn_unigram", "word", "learn_unigram.word", 200),
]
# On pages that have a model to load, or much to draw.
HEAVY = [
    ("rounds", "sentence", "rounds.sentence", 120),
    ("lattice", "text", "lattice.text", _ANY),
    ("boundaries", "sentence", "boundaries.text", 2000),
    ("boundaries?view=bytes", "text", "boundaries.bytes", 1000),
    ("explore", "text", "explore.text", _ANY),
    ("learn_tradeoff", "sentence", "learn_tradeoff.text", _ANY),
    ("learn_failures", "text", "failures.text", _ANY),
    ("cost?view=sentence", "first", "fertility.first", 200),
    ("cost?view=sentence", "second", "fertility.second", 200),
]
MODEL = "toy.hug~vocab_size-264~min_count-1"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    """A library and a registry of the test's own."""
    registry, library = Registry(tmp_path), SqliteStore(tmp_path / "library")
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: registry)
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    yield library
    registry.close()


def _open(page: str, **params: str) -> AppTest:
    """The page in a session of its own, as a link opens it: no other page runs before."""
    return open_page(page, lang="en", model=MODEL, **params)


def _param(app: AppTest, name: str) -> str:
    value = app.query_params.get(name, "")
    return value if isinstance(value, str) else value[0]


def _prose(length: int) -> str:
    """Korean text as people write it."""
    return " ".join(builtin_corpus("ko").read().split())[1000 : 1000 + length]


@pytest.mark.parametrize("length", [500, 1500])
def test_text_of_a_link_is_compressed(length: int) -> None:
    text = _prose(length)
    packed = pack_text(text)
    assert packed is not None and packed[0] == "z" and len(packed) <= MAX_TEXT_IN_URL
    assert unpack_text(packed) == text
    assert pack_text(_prose(5000)) is None


@pytest.mark.parametrize(
    ("page", "param", "key", "limit"), [*FIELDS, *(pytest.param(*field, marks=pytest.mark.slow) for field in HEAVY)]
)
def test_every_field_is_opened_from_a_link(library: SqliteStore, page: str, param: str, key: str, limit: int) -> None:
    page, _, query = page.partition("?")
    for length in sorted({min(limit, 1500), limit}):
        text = _prose(length)
        link = pack_text(text) or "@" + library.texts.save(text, "somebody")
        assert (link[0] == "@") == (length > 1500)
        app = settle(_open(page, **{param: link}, **dict(parse_qsl(query))))
        assert app.session_state[key] == text
        assert _param(app, param) == link


def test_a_long_text_goes_after_an_id_and_opens_elsewhere(library: SqliteStore) -> None:
    text = _prose(5000)
    app = _open("learn_bpe")
    write(app, "learn_bpe.words", text)
    assert not _param(app, "words") and library.texts.count() == 0  # nothing is kept that nobody asked for
    app.button(key="text_link.save.words").click().run()
    link = _param(app, "words")
    assert link.startswith("@") and library.texts.find(link[1:]) == text
    assert not [button for button in app.button if button.key == "text_link.save.words"]
    assert _open("learn_bpe", words=link).session_state["learn_bpe.words"] == text
    # A text that the session linked before has its link again.
    write(app, "learn_bpe.words", "low:5")
    assert _param(app, "words") == "~low:5"
    write(app, "learn_bpe.words", text)
    assert _param(app, "words") == link and library.texts.count() == 1


@pytest.mark.parametrize(("link", "said"), [("@" + "0" * 24, "not on this server"), ("zeNAAAA", "cannot be read")])
def test_a_link_whose_text_is_gone_or_damaged_says_so(library: SqliteStore, link: str, said: str) -> None:
    app = _open("learn_bytes", text=link)
    assert any(said in warning.value for warning in app.warning)
    assert app.session_state["learn_bytes.text"] == "안녕!"
    assert "text" not in app.query_params


def test_no_replacement_character_comes_out_of_a_link() -> None:
    assert unlink_text("~가\ufffd나\ud800") == "가나"


def test_the_pair_follows_the_keys() -> None:
    """Else the ratio would be that of one sentence and the translation of another until Enter."""
    fields = open_page("cost", lang="en", view="sentence").text_input
    assert all(fields(key).proto.live_debounce_ms for key in ("fertility.first", "fertility.second"))
