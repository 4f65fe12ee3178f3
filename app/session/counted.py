"""The units of the files of a text, counted in the background: for all sessions, or in the session of its owner."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import cache

from app.server.background import begin, in_background
from app.server.remember import remember
from app.texts.corpora import Text
from engine.measure.corpus_units import LineUnits

_MAX_FILES = 400  # results of a session


def counted(text: Text, unit: Hashable, count: Callable[[list[str]], LineUnits]) -> "list[Future[list[LineUnits]]]":
    """The units of every file of a text, in order; the counting of a built-in text is one piece of work.

    Parameters
    ----------
    unit : what is counted, with everything that decides the result.
    count : counts the lines of one file.
    """
    files, lines = text.files(), cache(text.lines)
    if text.is_builtin:
        every = range(len(files))
        return [
            in_background("units", (text.digest, unit), lambda: [count(files.lines_of((i,), lines())) for i in every])
        ]

    def begun(i: int) -> "Future[list[LineUnits]]":
        own = files.lines_of((i,), lines())
        return begin(lambda: [count(own)])

    def part(i: int) -> "Future[list[LineUnits]]":
        key = (text.digest, files.names[i], files.line_ptr[i], unit)
        return remember("counted", key, lambda: begun(i), _MAX_FILES)

    return [part(i) for i in range(len(files))]
