"""What an interaction with a page goes through: `python -m tests.bench.hops`.

Types another sentence on Explore and chooses another round on Pruning rounds, as a browser does, after both were
opened. Counts what the server sends, the project's files that are entered, its functions' calls and all calls, and
takes the processor time without counting.
"""

import json
import os
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from starlette.testclient import TestClient, WebSocketTestSession
from streamlit import config
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.util import calc_hash

from app import ROOT
from tests.menu import PAGES

_REPEATED = 9


class Hops(NamedTuple):
    """Messages and bytes sent, files of the project entered, calls of its functions, calls of all functions, and
    milliseconds of the CPU."""

    messages: int
    kilobytes: float
    files: int
    own_calls: int
    calls: int
    milliseconds: float


class Browser:
    """A page in a browser, as the server sees it."""

    def __init__(self, socket: WebSocketTestSession, page: str) -> None:
        self._socket, self._page = socket, "" if page == PAGES[0] else page
        self._fields: dict[str, tuple[str, str]] = {}  # id and fragment by component
        self.messages: list[ForwardMsg] = []
        self._n_told = 0
        self.run()
        self.run()  # without what only the first run of a session sends

    def run(self, fragment: str = "", *states: WidgetState) -> None:
        """Ask for a run with these values, and read what is sent until it ends."""
        request = BackMsg()
        request.rerun_script.fragment_id = fragment
        request.rerun_script.page_script_hash = calc_hash(self._page)
        request.rerun_script.query_string = "lang=ko"
        request.rerun_script.widget_states.widgets.extend(states)
        self._socket.send_bytes(request.SerializeToString())
        self.messages = []
        # What a click asks for may begin another run, after one that ends early for it.
        while not (
            self.messages
            and self.messages[-1].HasField("script_finished")
            and self.messages[-1].script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        ):
            message = ForwardMsg()
            message.ParseFromString(self._socket.receive_bytes())
            self.messages.append(message)
            self._note(message.delta.new_element, message.delta.fragment_id)

    def _note(self, element: Element, fragment: str) -> None:
        component = element.bidi_component
        if component.component_name in ("live_text", "scrubber"):
            self._fields.setdefault(component.component_name, (component.id, fragment))

    def type(self, text: str) -> None:
        """Another text in the page's first field that follows the keys."""
        name, fragment = self._fields["live_text"]
        self.run(fragment, WidgetState(id=name, json_value=json.dumps({"typed": self._numbered(text)})))

    def slide(self, number: int) -> None:
        """Another step on the page's scrubber."""
        name, fragment = self._fields["scrubber"]
        trigger = json.dumps([{"event": "stepped", "value": self._numbered(number)}])
        events = WidgetState(id=_make_trigger_id(name, "events"), json_trigger_value=trigger)
        self.run(fragment, WidgetState(id=name, json_value="{}"), events)

    def _numbered(self, value: object) -> dict[str, object]:
        self._n_told += 1
        return {"number": self._n_told, "value": value}


@contextmanager
def server() -> Iterator[TestClient]:
    """The app, in this process."""
    os.chdir(ROOT)
    config._main_script_path = str(ROOT / "app" / "main.py")
    config.get_config_options(force_reparse=True)
    from app.main import app

    with TestClient(app) as client:
        yield client


def count(interact: Callable[[], object]) -> tuple[Counter[str], int]:
    """Calls of the project's functions by file, and of all of Python's, in threads that begin meanwhile."""
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            calls[frame.f_code.co_filename] += 1

    threading.setprofile(note)
    try:
        interact()
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]
    folders = tuple(f"{ROOT / name}/" for name in ("app", "engine"))
    return Counter({str(Path(name)): n for name, n in calls.items() if name.startswith(folders)}), calls.total()


def measure(browser: Browser, interactions: list[Callable[[], object]]) -> Hops:
    """The first two are not counted, the third is, the others are timed."""
    interactions[0]()
    interactions[1]()
    time.sleep(0.2)  # the thread of the last one ends
    own, calls = count(interactions[2])
    n_messages = len(browser.messages)
    size = sum(message.ByteSize() for message in browser.messages) / 1000
    took = []
    for interact in interactions[3:]:
        begun = time.process_time()
        interact()
        took.append(1000 * (time.process_time() - begun))
    return Hops(n_messages, size, len(own), own.total(), calls, statistics.median(took))


def _interactions(browser: Browser, page: str) -> list[Callable[[], object]]:
    numbers = range(3 + _REPEATED)
    if page == "explore":
        return [partial(browser.type, f"학교에 {n}시까지 갔습니다.") for n in numbers]
    return [partial(browser.slide, 1 + n % 5) for n in numbers]


def main() -> int:
    results = {}
    with server() as client:
        for page in ("explore", "rounds"):
            with client.websocket_connect("/_stcore/stream", subprotocols=["streamlit"]) as socket:
                browser = Browser(socket, page)
                results[page] = measure(browser, _interactions(browser, page))
    print("page     messages     kB  files  own calls   calls  CPU ms")
    for page, hops in results.items():
        print("{:7}  {:8}  {:5.1f}  {:5}  {:9}  {:6}  {:6.1f}".format(page, *hops))
    return 0


if __name__ == "__main__":
    sys.exit(main())
