"""`ensure_trained`: what a job's state means for the session that asked, with a worker that does as told."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.server.limits import LimitError, Limits
from app.server.stored_texts import checked_text
from app.server.visitors import Visitor
from app.server.work.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING, JobView, Registry, Request
from app.session.training import ensure_trained, forget_training
from app.texts.catalogue import translate
from engine.config import TrainingSettings
from engine.errors import InputError
from tests.pages import open_page, settle

Wait = Callable[..., None]

# What the worker does with each text; the third is more than may wait.
TRAINS, REFUSES, LASTS, LASTS_TOO, TOO_MANY = "trains", "refuses", "lasts", "lasts too", "too many"
_WORKER = """
import json, sys
request = json.loads(sys.stdin.readline())["request"]
text = open(request["paths"][0]).read()
say = lambda **event: print(json.dumps(event), flush=True)
if text == "refuses":
    say(event="error", message="it cannot be", code="job.memory", values={})
elif text == "trains":
    if "output" in request:
        open(request["output"], "w").close()
    say(event="feasible", low=256, high=900)
    say(event="done")
else:
    sys.stdin.read()
"""


def _request(text: str, probe: bool = False) -> Request:
    return Request(checked_text(text), TrainingSettings(vocab_size=300), probe)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """One worker at a time, and one training may wait."""
    own = Registry(tmp_path, Limits(jobs=1, queued=1), (sys.executable, "-c", _WORKER))
    monkeypatch.setattr("app.server.work.jobs._server_registry", lambda: own)
    yield own
    own.close()


@pytest.fixture
def registry(server: Registry, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The server, and a session that has asked for nothing yet."""
    monkeypatch.setattr("streamlit.session_state", {})
    return server


def _ended(request: Request, wait_until: Wait, **options: Any) -> JobView:
    wait_until(lambda: not ensure_trained(request, **options).is_active)
    return ensure_trained(request, **options)


def test_none_yet_begins_and_goes_on_as_one_job(registry: Registry) -> None:
    first = ensure_trained(_request(LASTS))
    assert first.state == RUNNING
    assert ensure_trained(_request(LASTS)).id == first.id


def test_one_that_waits_goes_on_waiting(registry: Registry) -> None:
    ensure_trained(_request(LASTS))
    waiting = ensure_trained(_request(LASTS_TOO))
    assert (waiting.state, waiting.position) == (QUEUED, 1)
    assert ensure_trained(_request(LASTS_TOO)).id == waiting.id


def test_one_that_the_server_forgot_begins(registry: Registry) -> None:
    forgotten = ensure_trained(_request(LASTS))
    registry.cancel(forgotten.id)
    del registry._finished[forgotten.id]  # among the many that ended later
    again = ensure_trained(_request(LASTS))
    assert again.id != forgotten.id and again.state == RUNNING


def test_done_stays_until_its_file_is_gone(registry: Registry, wait_until: Wait) -> None:
    request = _request(TRAINS)
    done = _ended(request, wait_until)
    assert done.state == DONE
    assert ensure_trained(request).id == done.id
    registry.models.target(request.key).unlink()  # as systems clean up among temporary files
    assert ensure_trained(request).id != done.id
    assert _ended(request, wait_until).state == DONE
    assert registry.models.find(request.key) is not None


def test_a_probe_has_no_file_that_could_be_gone(registry: Registry, wait_until: Wait) -> None:
    request = _request(TRAINS, probe=True)
    done = _ended(request, wait_until, asks_to_cancel=False)
    assert (done.state, done.feasible) == (DONE, (256, 900))
    assert ensure_trained(request, asks_to_cancel=False).id == done.id


@pytest.mark.parametrize("asks_to_cancel", [True, False])
def test_failed_stays_until_it_is_forgotten(asks_to_cancel: bool, registry: Registry, wait_until: Wait) -> None:
    request = _request(REFUSES)
    failed = _ended(request, wait_until, asks_to_cancel=asks_to_cancel)
    assert (failed.state, failed.message) == (FAILED, str(InputError("job.memory")))
    assert ensure_trained(request, asks_to_cancel=asks_to_cancel).id == failed.id
    forget_training(request.key)
    assert ensure_trained(request, asks_to_cancel=asks_to_cancel).id != failed.id


def test_cancelled_by_the_visitor_stays_until_it_is_forgotten(registry: Registry) -> None:
    request = _request(LASTS)
    job = ensure_trained(request)
    registry.cancel(job.id)
    assert ensure_trained(request)[:2] == (job.id, CANCELLED)
    forget_training(request.key)
    assert ensure_trained(request).state == RUNNING


def test_cancelled_where_nobody_was_asked_begins_anew(registry: Registry) -> None:
    request = _request(LASTS)
    job = ensure_trained(request, asks_to_cancel=False)
    registry.cancel(job.id)  # as the server does when nobody has looked for a while
    again = ensure_trained(request, asks_to_cancel=False)
    assert again.id != job.id and again.state == RUNNING


def test_a_limit_is_told_and_nothing_is_remembered(registry: Registry) -> None:
    ensure_trained(_request(LASTS))
    waiting = ensure_trained(_request(LASTS_TOO))
    with pytest.raises(LimitError) as reached:
        ensure_trained(_request(TOO_MANY))
    assert reached.value.name == "queued"
    registry.cancel(waiting.id)
    assert ensure_trained(_request(TOO_MANY)).state == QUEUED


def test_what_gave_way_in_a_full_queue_is_asked_for_again(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, browser in enumerate(("a", "a", "b")):  # the second waits and gives way to the third
        monkeypatch.setattr("app.session.state.visitor", lambda browser=browser: Visitor("", browser))
        jobs = [ensure_trained(_request(f"{LASTS} {number}")) for _ in range(2)]
        assert jobs[0].id == jobs[1].id
    monkeypatch.setattr("app.session.state.visitor", lambda: Visitor("", "a"))
    with pytest.raises(LimitError, match="MAX_QUEUED"):
        ensure_trained(_request(f"{LASTS} 1"))
    registry.cancel(jobs[0].id)
    assert ensure_trained(_request(f"{LASTS} 1")).state == QUEUED


def test_to_forget_what_was_never_asked_for_does_nothing(registry: Registry) -> None:
    forget_training(_request(LASTS).key)
    assert ensure_trained(_request(LASTS)).state == RUNNING


# The page of a link to a model, and a page with tokenizers beside it.
@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(
    "link", [pytest.param({"model": "ko~vocab_size-555"}, marks=pytest.mark.slow), {"with": "words", "size": "555"}]
)
def test_a_worker_that_is_killed_costs_a_sentence_and_one_click(
    link: dict[str, str], server: Registry, wait_until: Wait
) -> None:
    app = open_page("explore", lang="en", **{"with": "none", **link})
    # What it trains is a long text to this worker, which then waits for ever.
    (ask,) = [button for button in app.button if button.key in ("model.train", "set.train")]
    ask.click().run()
    (task,) = server._queue.running
    assert task.worker is not None
    os.kill(task.worker.process.pid, signal.SIGKILL)
    wait_until(lambda: server.is_idle)
    app.run()
    assert not app.exception and "-9" in " ".join(one.value for one in (*app.text, *app.caption))
    assert server.is_idle  # it does not begin again by itself
    server._spares["training"]._command = (sys.executable, "-m", "app.worker")
    (again,) = [button for button in app.button if (button.key or "").startswith("job.again")]
    again.click().run()
    settle(app)
    assert "-9" not in " ".join(one.value for one in (*app.text, *app.caption))
    assert len(server.models._sizes) == 1 and not any((one.key or "").startswith("job.again") for one in app.button)


@pytest.mark.usefixtures("prepared", "server")
@pytest.mark.parametrize(("page", "drawn"), [("explore", "bidi_component"), ("cost", "plotly_chart")])
def test_what_is_ready_is_drawn_while_the_sizes_of_a_long_corpus_are_counted(
    page: str, drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as counting:
        # A worker counts for the built-in corpus, too, and this one never ends.
        counting.setattr("app.session.training._MAX_CHARS_HERE", 0)
        app = open_page(page, lang="en", more="fairness", **{"with": "words.bytes"})
        said = translate("set.counting", "en", names="Words, UTF-8 bytes")
        assert said in [one.value for one in app.caption]
        assert [one.proto.id for one in app.get(drawn) if "strip" in one.proto.id or "bars" in one.proto.id]
    app.run()
    assert said not in [one.value for one in app.caption] and app.button(key="set.train")


def _page() -> None:
    import streamlit as st

    from app.parts.tokenizers.job_progress import render_job_progress

    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    if runs == 1:
        render_job_progress(st.session_state["job"])


def test_a_job_that_is_done_when_it_is_shown_has_the_page_run_again(server: Registry, wait_until: Wait) -> None:
    job_id = server.submit(_request(TRAINS))
    wait_until(lambda: (job := server.view(job_id)) is None or not job.is_active)
    app = AppTest.from_function(_page, default_timeout=60)
    app.session_state["job"] = job_id
    app.run()
    assert not app.exception and app.session_state["runs"] == 2
