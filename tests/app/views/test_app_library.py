"""The Library page: saving, opening, sharing by a link, and who sees what."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from app.classroom.store.records import RoomState
from app.classroom.store.rooms import rooms_of
from app.server.library import Opened, Opener, new_run
from app.server.store.opening import SqliteStore, library_place
from app.server.store.sqlite.database import FILE
from app.server.store.store import LibraryError
from app.server.teacher import Door
from app.server.work.jobs import Registry
from app.session.reference import parse_reference
from engine.errors import InputError
from engine.machine.folders import data_folder
from engine.merges.plain import Utf8Bytes
from tests.pages import go_to, open_page, refresh, settle, write
from tests.seen import seen

ME, YOU = "m" * 32, "y" * 32


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """A library, a registry and a teacher's door of the test's own."""
    registry, library, door = Registry(tmp_path), SqliteStore(tmp_path / "library"), Door("열려라")
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: registry)
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(library))
    monkeypatch.setattr("app.views.train.teacher_view.door", lambda: door)
    return library


def _open(owner: str = ME, page: str = "train", **params: str) -> AppTest:
    return open_page(page, {"owner": owner}, lang="ko", **params)


def _save(app: AppTest, name: str) -> AppTest:
    app.text_input(key="library.name").set_value(name)
    next(button for button in app.button if button.label == "모델 저장").click().run()
    assert not app.exception and not app.error
    return app


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.caption, *app.info, *app.warning, *app.code))


def test_save_open_rename_delete(library: SqliteStore) -> None:
    app = settle(_open(model="toy.hug~vocab_size-264~min_count-1"))
    app = _save(app, "허그 <b>실험</b>")
    (run,) = library.runs.owned(ME)
    assert (run.name, run.corpus_id, run.settings["vocab_size"]) == ("허그 <b>실험</b>", "toy.hug", 264)
    assert len(run.corpus_fingerprint) == 64 and run.rounds[0]["number"] == 0
    app.button(key="library.open").click().run()
    assert app.session_state["model"] == f"run.{run.id}"
    assert "허그 <b>실험</b>" in _texts(app).replace("\\", "")
    app.text_input(key="library.new_name").set_value("새 이름").run()
    app.button(key="library.rename").click().run()
    assert [run.name for run in library.runs.owned(ME)] == ["새 이름"]
    app.button(key=f"library.delete.{run.id}").click().run()
    assert library.runs.all() == []
    assert "보관함에 없습니다" in _texts(app.run())
    assert not app.exception


def test_a_shared_link_opens_the_run_for_others_who_cannot_change_it(library: SqliteStore) -> None:
    _save(settle(_open(model="toy.hug~vocab_size-264~min_count-1")), "내 실험")
    (run,) = library.runs.all()
    app = _open(YOU, "explore", model=f"run.{run.id}")
    assert app.session_state["model"] == f"run.{run.id}"
    assert "내 실험" in seen(app)
    go_to(app, "train")
    assert "아직 저장한 모델이 없습니다" in _texts(app)
    assert not [button for button in app.button if "library.delete" in str(button.key)]


@pytest.mark.parametrize("run_id", ["none", "../x", "a~b", "가", "x" * 3000, "<script>"])
def test_a_link_to_no_run_is_explained(library: SqliteStore, run_id: str) -> None:
    app = _open(page="explore", model=f"run.{run_id}")
    assert "보관함에 없습니다" in _texts(app) or parse_reference(f"run.{run_id}") is None


def test_a_run_that_was_damaged_on_the_disk_is_explained(library: SqliteStore) -> None:
    run_id = library.runs.save(new_run("가", "ko", "", Utf8Bytes(), b"0123456789abcdef"), ME)
    path = library.folder / FILE
    path.write_bytes(path.read_bytes().replace(b"0123456789abcdef", b"0123456789abcdeX"))
    app = _open(page="explore", model=f"run.{run_id}")
    assert "지금은 열 수 없습니다" in app.error[0].value
    assert "디스크에서 손상되었습니다" in "".join(text.value for text in app.text)
    app.button(key="model.use_default").click().run()
    assert not app.exception


def test_what_is_wrong_with_the_library_is_said_in_the_language_of_the_page(
    library: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.folder / FILE).write_bytes(b"nonsense" * 1000)
    app = settle(_open())  # damaged while the server runs
    assert "보관함 파일이 손상되었습니다" in "".join(text.value for text in app.text)
    again = SqliteStore(library.folder)  # the next start
    monkeypatch.setattr("app.server.library._server_library", lambda: Opened(again))
    app = settle(_open())
    assert "손상되어 따로 옮기고" in _texts(app) and not app.error


@pytest.mark.slow
@pytest.mark.parametrize("harm", [lambda path: path.write_bytes(b"damaged"), Path.unlink])
def test_a_model_file_that_was_harmed_is_trained_again(library: SqliteStore, harm: Callable[[Path], object]) -> None:
    from app.server.remember import forget
    from app.server.work.jobs import registry

    link = {"model": "toy.hug~vocab_size-264~min_count-1", "with": "none"}
    refresh(_open(page="explore", **link))
    (path,) = library.folder.parent.glob("*.tok")
    content = path.read_bytes()
    harm(path)
    forget("models.file")
    app = refresh(_open(page="explore", **link))
    assert not app.exception and not app.error
    assert path.read_bytes() == content and registry().models.find(path.stem) == path


def test_two_visitors_do_not_see_each_other(library: SqliteStore) -> None:
    run = new_run("비밀 실험", "ko", "", Utf8Bytes(), b"x")
    library.runs.save(run, YOU)
    app = settle(_open(ME))
    assert "아직 저장한 모델이 없습니다" in _texts(app)
    assert "비밀 실험" not in str(app)


def _button(app: AppTest, key: str) -> Button:
    (button,) = [one for one in app.button if str(one.key).startswith(key)]
    return button


def test_a_second_click_on_delete_is_not_for_the_next_one(library: SqliteStore) -> None:
    for name in ("가", "나"):
        library.runs.save(new_run(name, "ko", "", Utf8Bytes(), name.encode()), ME)
        library.texts.save(f"{name} 글", ME)
    for key in ("library.delete.", "library.delete_text."):
        app = settle(_open())
        button = _button(app, key)
        button.click().run()
        assert _button(app, key).key != button.key  # what the browser sends of the second click names the first one
    assert len(library.runs.all()) == 1 and library.texts.count() == 1


def test_the_teacher_sees_and_removes_everything(library: SqliteStore) -> None:
    for owner in (ME, YOU):
        library.runs.save(new_run("가", "ko", "", Utf8Bytes(), b"x"), owner)
    rooms_of(library).open(YOU, "ko", RoomState())
    app = settle(_open("t" * 32))
    app.text_input(key="teacher.password").set_value("틀림").run()
    app.button(key="teacher.enter").click().run()
    assert app.error and not [button for button in app.button if button.key == "teacher.remove_all"]
    app.text_input(key="teacher.password").set_value("열려라").run()
    app.button(key="teacher.enter").click().run()
    _button(app, "teacher.remove.").click().run()
    assert len(library.runs.all()) == 1
    _button(app, "teacher.remove_room.").click().run()
    assert rooms_of(library).all() == [] and not app.exception
    app.button(key="teacher.remove_all").click().run()
    assert library.runs.all() == []
    app.button(key="teacher.leave").click().run()
    assert not [button for button in app.button if button.key == "teacher.remove_all"]


def test_own_texts_are_listed_and_deleted(library: SqliteStore) -> None:
    library.texts.save("<b>내 글</b> " * 9, ME)
    library.texts.save("남의 글", YOU)
    app = settle(_open())
    assert "내 글" in _texts(app) and "남의 글" not in _texts(app)
    (listed,) = [frame.value for frame in app.dataframe if "expires" in frame.value]
    assert len(listed) == 1 and (listed["expires"] - listed["created"]).dt.days.tolist() == [180]
    app.button(key=f"library.delete_text.{library.texts.owned(ME)[0].id}").click().run()
    assert not app.exception
    assert library.texts.owned(ME) == [] and library.texts.count() == 1
    assert not [button for button in app.button if "library.delete_text" in str(button.key)]


def test_a_long_text_is_linked_by_an_id_when_asked(library: SqliteStore) -> None:
    text = "".join(chr(0xAC00 + 7 * n % 11_000) for n in range(3000))
    app = settle(_open(page="explore"))
    write(app, "explore.text", text)
    assert "text" not in app.query_params and library.texts.count() == 0
    app.button(key="text_link.save.text").click().run()
    link = app.query_params["text"]
    link = link if isinstance(link, str) else link[0]
    assert link.startswith("@") and library.texts.find(link[1:]) == text
    assert [kept.id for kept in library.texts.owned(ME)] == [link[1:]]
    other = settle(_open(YOU, "explore", text=link))
    assert other.session_state["explore.text"] == text
    library.remove_all()
    assert _open(YOU, "explore", text=link).session_state["explore.text"] != text


def test_without_a_library_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for found, said in ((Opened(), "보관함이 없습니다"), (Opened(error=InputError("why")), "쓸 수 없습니다")):
        monkeypatch.setattr("app.server.library._server_library", lambda found=found: found)
        assert said in _texts(_open())


def test_a_library_that_was_repaired_is_opened_without_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    folder.write_text("in the way")
    opener = Opener(folder, 1_000_000, retry_seconds=0)
    patient = Opener(folder, 1_000_000, retry_seconds=1e9)
    assert [type(one.opened().error) for one in (opener, patient)] == [LibraryError] * 2
    folder.unlink()
    found = opener.opened()
    assert found.library is not None and found.error is None
    assert opener.opened() is found
    assert patient.opened().library is None


def test_the_folder_is_named_by_the_environment() -> None:
    assert library_place({"THUNDER_TOK_LIBRARY": "/srv/x"}) == Path("/srv/x")
    assert library_place({"THUNDER_TOK_LIBRARY": " OFF "}) is None
    assert library_place({}) == data_folder()


def test_the_page_says_what_could_be_read_of_a_damaged_file(
    library: SqliteStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for text in "가나다":
        library.texts.save(text * 3000, ME)
    path = library.folder / FILE
    data = path.read_bytes()
    path.write_bytes(data[: 2 * 4096] + bytes(4096) + data[3 * 4096 :])  # the first page of the first table
    opener = Opener(library.folder, 10**9)
    monkeypatch.setattr("app.server.library._server_library", opener.opened)
    assert (
        "library.damaged-1.sqlite is set aside, what could be read: model 0, corpus 0, run 0, text 3, room 0"
        in caplog.text
    )
    app = open_page("train", {"owner": ME}, lang="ko")
    assert "옮겼습니다(모델 0개, 텍스트 3개, 실시간 수업 0개)" in app.warning[0].value
