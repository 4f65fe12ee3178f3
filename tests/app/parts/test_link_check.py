"""A link on another machine: the same corpus and settings give the same vocabulary, and what differs is said."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.parts.texts.link_check import LinkCheck, check_of, parse_check, vocabulary_hash
from app.server.library import Opened, new_run
from app.server.store.opening import SqliteStore
from app.server.stored_texts import HeldTexts, checked_text
from app.server.work.jobs import Registry
from app.session import models
from app.session.models import recognize
from app.session.reference import DEFAULT_SETTINGS, ModelReference
from app.texts import corpora
from app.texts.corpora import builtin_corpus, corpus_fingerprint
from app.texts.plain import plain
from engine.config import TrainingSettings
from engine.training import start_training
from tests.pages import open_page, settle

MODEL = "toy.hug~vocab_size-264~min_count-1"
SETTINGS = TrainingSettings(vocab_size=264, min_count=1)
Machine = Callable[..., AppTest]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Opens a page on one of several machines: each has models of its own."""
    registries: dict[str, Registry] = {}

    def open_(name: str = "here", page: str = "scores", language: str = "en", **params: str) -> AppTest:
        (tmp_path / name).mkdir(exist_ok=True)
        registry = registries.get(name) or registries.setdefault(name, Registry(tmp_path / name))
        monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: registry)
        return settle(open_page(page, **{"lang": language, "model": MODEL, **params}))

    yield open_
    for registry in registries.values():
        registry.close()


@pytest.fixture
def other_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Makes this machine one with another text under the name of the corpus."""

    def change() -> None:
        folder = tmp_path / "corpora"
        (folder / "toy").mkdir(parents=True)
        for path in (corpora.FOLDER / "toy").iterdir():
            text = path.read_text(encoding="utf-8")
            (folder / "toy" / path.name).write_text(text.replace("hug", "mug"), encoding="utf-8")
        monkeypatch.setattr("app.texts.corpora.FOLDER", folder)
        forget()

    def forget() -> None:
        for cached in (corpora.registers, corpora._builtin, models._builtin):
            cached.cache_clear()

    yield change
    monkeypatch.undo()
    forget()


def _check(app: AppTest) -> LinkCheck:
    value = app.query_params.get("check", "")
    check = parse_check(value if isinstance(value, str) else value[0])
    assert check is not None
    return check


@pytest.fixture(scope="module")
def made() -> LinkCheck:
    """What a link to MODEL carries, trained without the app."""
    source = builtin_corpus("toy", ("hug",))
    return check_of(source.digest, SETTINGS, vocabulary_hash(_trained(source.lines(), SETTINGS)))


def _trained(lines: list[str], settings: TrainingSettings) -> Any:
    training = start_training(lines, settings)
    list(training.rounds())
    return training.model()


def _said(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.warning, *app.markdown, *app.caption))


def test_a_check_survives_the_url() -> None:
    check = check_of("0123456789", DEFAULT_SETTINGS, "abcdef0123")
    assert parse_check(str(check)) == check
    for damaged in ("", "0.0.0", str(check)[:-1], str(check) + "0", str(check).upper(), "<b>" * 9):
        assert parse_check(damaged) is None


def test_the_hash_is_of_the_tokens_in_their_order() -> None:
    lines = ["hug pug hugs", "hug bun"] * 5
    same, other = vocabulary_hash(_trained(lines, SETTINGS)), [*lines, "mug mug mug mug"]
    assert vocabulary_hash(_trained(lines, SETTINGS)) == same != vocabulary_hash(_trained(other, SETTINGS))


@pytest.mark.slow
def test_the_same_corpus_gives_the_same_vocabulary_on_another_machine(machine: Machine, made: LinkCheck) -> None:
    assert _check(machine("here")) == made
    there = machine("there", check=str(made))
    assert _check(there) == made and "The model here differs" not in _said(there)


@pytest.mark.slow
def test_another_text_after_the_corpus_name_is_told(
    machine: Machine, made: LinkCheck, other_corpus: Callable[[], None]
) -> None:
    other_corpus()
    app = machine(check=str(made))
    said = _said(app)
    assert "The model here differs" in said and "has a different text" in said and "the vocabulary differs" in said
    assert made.corpus in said and made.vocabulary in said
    assert "settings differ" not in said and "was trained by another version" not in said
    # The link stays what it was, and is judged again when the page is loaded again.
    assert _check(app) == made
    korean = _said(machine(language="ko", check=str(made)))
    assert "이 링크의 모델이 이 서버의 모델과 다릅니다" in korean and "내용이 다릅니다" in korean
    # Whoever goes on gets links to the model that is here.
    app.button(key="link_check.accept").click().run()
    assert _check(app) != made and "The model here differs" not in _said(app)


@pytest.mark.slow
def test_another_program_or_other_defaults_are_told(machine: Machine, made: LinkCheck) -> None:
    app = machine(check=str(made._replace(vocabulary="0" * 8)))
    assert "was trained by another version of the program" in _said(app) and "0" * 8 in _said(app)
    said = _said(machine(check=str(made._replace(settings="1" * 8, vocabulary="0" * 8))))
    assert "defaults for settings that the link omits" in said and "was trained by another version" not in said
    assert "nevertheless identical" in _said(machine(check=str(made._replace(corpus="2" * 8))))
    # Another model is not held to the link's word.
    app.session_state["session.pending"] = {"model": MODEL.replace("264", "263")}
    app.run()
    assert "The model here differs" not in _said(app)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("text.0123456789abcdef", "fingerprint 01234567"),
        ("file.0123456789abcdef", "model file of this link"),
        ("ko.weather", "is not on this server"),
        ("run.0123456789abcdef", "not in the library"),
    ],
)
def test_what_is_not_here_is_named(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, said: str
) -> None:
    library = SqliteStore(tmp_path / "library")
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    assert said in _said(machine(model=model)).replace("\\", "")


def test_a_link_to_a_text_of_ones_own_works_where_the_text_is_given_again(machine: Machine) -> None:
    from app.server.work.jobs import registry

    source = checked_text("hug pug hugs\nhug bun\n" * 5, "words.txt")
    expected = check_of(source.digest, SETTINGS, vocabulary_hash(_trained(source.lines(), SETTINGS)))
    app = machine(model=f"{source.id}~vocab_size-264~min_count-1", check=str(expected))
    assert f"fingerprint {source.digest[:8]}" in _said(app) and _check(app) == expected
    app.session_state["session.corpora"] = HeldTexts({source.id: checked_text(source.text or "", "same.txt")})
    app.run()
    app.button(key="model.train").click().run()
    settle(app)
    assert not app.warning
    assert _check(app) == expected and registry().models.find(ModelReference(source.id, SETTINGS).key(source.digest))


@pytest.mark.parametrize("normalization", ["none", "nfd"])
def test_a_corpus_is_recognized_by_its_fingerprint(normalization: str) -> None:
    held = checked_text("가나다\n\n라마바\n", "글.txt")
    settings = TrainingSettings(vocab_size=262, min_count=1, normalization=normalization)
    for source, named in (
        (builtin_corpus("toy", ("hug",)), ""),
        (builtin_corpus("ko", ("news",)), ""),
        (builtin_corpus("toy", ("hug", "low_slides")), "toy.hug.low_slides"),
        (held, ""),
    ):
        fingerprint = corpus_fingerprint(source, normalization)
        if source.id != "ko.news":
            assert _trained(source.lines(), settings).corpus_fingerprint == fingerprint
        found = recognize(fingerprint, normalization, named, {held.id: held}, {})
        assert found is not None and found.id == source.id
    assert recognize(corpus_fingerprint(held, normalization), normalization, held.id, {}, {}) is None
    assert recognize("", normalization, "ko", {}, {}) is None


@pytest.mark.parametrize(("algorithm", "size"), [("thunder-tok", 264), ("bpe", 20)])
def test_the_corpus_of_an_opened_run_is_known(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str, size: int
) -> None:
    library = SqliteStore(tmp_path / "library")
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    source = builtin_corpus("toy", ("hug",))
    model = _trained(source.lines(), TrainingSettings(algorithm=algorithm, vocab_size=size, min_count=1))
    path = tmp_path / "model.tok"
    model.save(path)
    run_id = library.runs.save(new_run("허그", source.id, "", model, path.read_bytes(), source), "me")
    found = []
    monkeypatch.setattr("app.session.models.recognize", lambda *args: found.append(recognize(*args)) or found[-1])
    app = machine(page="train", model=f"run.{run_id}")
    assert found and set(found) == {source}
    assert "허그" in _said(app) and not app.query_params.get("check")


@pytest.mark.parametrize("name", ["shipped:thunder-tok-64k", "public:gpt9", "ko~vocab_size-none", "<b>"])
def test_an_unknown_model_is_said_and_not_silently_another(name: str) -> None:
    shown = [one.value for one in open_page("glossary", lang="en", model=name).warning]
    assert shown == [
        f"This link names a model that is not on this server, “{plain(name)}”. The default model is shown instead."
    ]
    assert not open_page("glossary", lang="en", model="shipped:thunder-tok-8k").warning
