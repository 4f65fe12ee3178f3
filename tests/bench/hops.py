"""What a run of a page goes through: `python -m tests.bench.hops`.

Types another sentence on Explore and chooses another round on Pruning rounds, after both were opened, and counts the
project's files that are entered, its functions' calls, all calls of Python, and the processor time without counting.
"""

import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from app import ROOT
from tests.pages import open_page

_REPEATED = 7


class Hops(NamedTuple):
    """Files of the project entered, calls of its functions, calls of all functions, and milliseconds of the CPU."""

    files: int
    own_calls: int
    calls: int
    milliseconds: float


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


def measure(interactions: list[Callable[[], object]]) -> Hops:
    """The first is not counted, the second is, the others are timed."""
    interactions[0]()
    own, calls = count(interactions[1])
    took = []
    for interact in interactions[2:]:
        begun = time.process_time()
        interact()
        took.append(1000 * (time.process_time() - begun))
    return Hops(len(own), own.total(), calls, statistics.median(took))


def _typed(app: AppTest, text: str) -> Callable[[], object]:
    return lambda: app.text_area[0].set_value(text).run()


def _scrubbed(app: AppTest, number: int) -> Callable[[], object]:
    return lambda: app.slider[0].set_value(number).run()


def main() -> int:
    explore, rounds = open_page("explore", lang="ko"), open_page("rounds", lang="ko")
    typed = measure([_typed(explore, f"학교에 {n}시까지 갔습니다.") for n in range(2 + _REPEATED)])
    scrubbed = measure([_scrubbed(rounds, 1 + n % 5) for n in range(2 + _REPEATED)])
    print("interaction  files  own calls  calls  CPU ms")
    for name, hops in (("sentence", typed), ("round", scrubbed)):
        print(f"{name:11}  {hops.files:5}  {hops.own_calls:9}  {hops.calls:5}  {hops.milliseconds:6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
