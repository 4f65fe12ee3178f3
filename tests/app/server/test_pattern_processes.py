"""Patterns of visitors' own run outside of the server, with one allowance a run of a page."""

import hashlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.server.work.jobs import Registry
from app.server.work.patterns import PatternProcesses, find_in_process
from app.session import state
from app.session.reference import FILE
from engine.corpus.pretokens import own_pattern
from engine.corpus.pretokens.own_pattern import find_here, pattern_allowance
from engine.errors import InputError
from engine.pretokenization import get_pretokenizer
from tests.conftest import ROOT
from tests.engine.corpus.test_own_pattern import DEEP, LINE, NESTED, PLACES, SLOW, tokenizer_with
from tests.pages import open_page

TEXTS = ["나무에 꽃이 피었다.", "", "a\n🙂"]


@pytest.fixture
def processes() -> Iterator[PatternProcesses]:
    made = PatternProcesses()
    yield made
    made.close()


def _code(processes: PatternProcesses, pattern: str, seconds: float) -> str:
    with pytest.raises(InputError) as caught, pattern_allowance(seconds):
        processes.find(pattern, [LINE])
    return caught.value.code


@pytest.mark.parametrize("pattern", [r"\p{L}+", NESTED, "x*"])
def test_lines_are_cut_as_here(processes: PatternProcesses, pattern: str) -> None:
    with pattern_allowance(60):
        assert processes.find(pattern, TEXTS) == [list(bounds) for bounds in find_here(pattern, TEXTS)]


@pytest.mark.slow
def test_hostile_patterns_end(processes: PatternProcesses) -> None:
    assert _code(processes, SLOW, 0.5) == "pattern.slow"
    if sys.platform == "linux":
        assert _code(processes, DEEP, 60) == "pattern.memory"
    with pattern_allowance(60):
        assert processes.find(r"\p{L}+", ["나무"]) == [[0, 2]]


def test_equal_lines_are_cut_once(processes: PatternProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _code(processes, SLOW, 0.5) == "pattern.slow"
    cuts = processes.find(r"\p{L}+", TEXTS)
    monkeypatch.setattr(processes, "_ask", lambda *given: pytest.fail("asked again"))
    assert processes.find(r"\p{L}+", TEXTS) == cuts
    assert _code(processes, SLOW, 0.5) == "pattern.slow"


def test_a_process_that_was_killed_is_replaced(processes: PatternProcesses) -> None:
    processes.find(r"\p{L}+", ["나"])
    (worker,) = processes._spares.workers
    worker.process.send_signal(signal.SIGKILL)
    worker.process.wait()
    assert processes.find(r"\p{L}+", ["나무"]) == [[0, 2]]


def test_one_that_does_not_answer_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.work.patterns._GRACE_SECONDS", 0.0)
    deaf = PatternProcesses((sys.executable, "-c", "import sys; print('begun', flush=True); sys.stdin.read()"))
    assert _code(deaf, "a", 0.5) == "pattern.slow"
    deaf.close()


@pytest.mark.slow
def test_a_page_says_that_a_pattern_is_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Registry(tmp_path)
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)
    monkeypatch.setattr("app.session.page_run._PATTERN_SECONDS", 0.5)
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300)
    app.query_params["lang"] = "en"
    app.run()
    assert own_pattern._runners[-1] is not find_here
    app.switch_page(str(ROOT / "app" / "views" / "train" / "page.py")).run()
    app.text_area(key="corpus.pasted").set_value(f"{LINE}\n" * 3).run()
    app.button(key="corpus.paste_add").click().run()
    app.selectbox(key="train.pretokenizer").set_value("regex").run()
    app.text_input(key="train.pattern").set_value(SLOW).run()
    assert not app.exception
    assert any("backtracks too much" in element.value for element in (*app.error, *app.text, *app.caption))
    with pytest.raises(InputError):
        get_pretokenizer(SLOW).split(LINE)


@pytest.mark.parametrize("place", PLACES)
def test_patterns_of_a_tokenizer_file_run_there_too(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Registry(tmp_path)
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)
    monkeypatch.setattr("app.session.page_run._PATTERN_SECONDS", 0.5)
    monkeypatch.setattr(own_pattern, "_runners", [lambda *given: pytest.fail("run in the server"), find_in_process])
    data = tokenizer_with(place, SLOW)
    reference = f"{FILE}.{hashlib.sha256(data).hexdigest()[:24]}"
    own.models.write(reference, data)
    link = {"lang": "en", "model": reference, "with": "none"}
    app = open_page("explore", **link, text=state.pack_text(LINE))
    assert ["backtracks too much" in error.value for error in app.error] == [True]
    # The file is still there for other texts; its decoder runs over its tokens whatever the text.
    app = open_page("explore", **link, text=state.pack_text("bbb"))
    assert len(app.error) == (place == "decoder") and own.models.find(reference) is not None
