"""Pre-tokenization by a regular expression of the user's own, with the `regex` module.

Such a pattern may backtrack for ever, or nest until memory is full. So it gets an allowance of time and memory, one for
a whole text or for all that a command does (`pattern_allowance`); and a server has it run in another process
(`run_patterns_by`).
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

import regex

from engine.errors import InputError

# Where nobody allows anything else: for the lines that are cut at one time.
REGEX_TIMEOUT_SECONDS = 2.0

# For all that a command does.
PATTERN_SECONDS = 60.0
PATTERN_BYTES = 1 << 30

_MOST_CHARACTERS = 20_000

# What cuts lines by a pattern: the ends of the pre-tokens of each line.
CutLines = Callable[[str, Sequence[str]], list[list[int]]]


class Allowance:
    """Time and memory that patterns may use, all together.

    Parameters
    ----------
    seconds : by the clock, while they run.
    max_bytes : address space beyond what the process has when they begin, where the system can limit it. The limit is
        that of the whole process, so it is for processes of one thread. None: no limit.
    """

    def __init__(self, seconds: float, max_bytes: int | None = None) -> None:
        self.seconds, self.left = seconds, seconds
        self._max_bytes = max_bytes

    @contextmanager
    def spending(self) -> Iterator[float]:
        """Use it; gives the time (of time.monotonic) at which it is used up.

        Raises
        ------
        InputError : it is used up.
        """
        began = time.monotonic()
        try:
            with _address_space(self._max_bytes):
                yield began + self.left
        except TimeoutError:
            raise too_slow(self.seconds) from None
        except MemoryError:
            raise too_large() from None
        finally:
            self.left = max(0.0, self.left - (time.monotonic() - began))


def too_slow(seconds: float) -> InputError:
    """The error of patterns that took longer than so many seconds."""
    return InputError(
        "the pre-tokenization pattern took over {seconds:g} s on the text; "
        "it backtracks too much: simplify nested repetitions, or use less text",
        code="pattern.slow",
        seconds=seconds,
    )


def too_large() -> InputError:
    """The error of patterns that took more memory than they may."""
    return InputError(
        "the pre-tokenization pattern needed too much memory; simplify its recursion and nested repetitions",
        code="pattern.memory",
    )


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def pattern_allowance(seconds: float, max_bytes: int | None = None) -> Iterator[None]:
    """All patterns that run inside, in this thread, share one allowance; see Allowance."""
    token = _allowance.set(Allowance(seconds, max_bytes))
    try:
        yield
    finally:
        _allowance.reset(token)


def current_allowance() -> Allowance:
    """What patterns may use now; a new one of REGEX_TIMEOUT_SECONDS where nobody has said."""
    return _allowance.get() or Allowance(REGEX_TIMEOUT_SECONDS)


class OwnPattern:
    """The function from a line to the ends of its pre-tokens: the matches, and what lies between them.

    Raises
    ------
    InputError : the pattern is not a valid regular expression.
    """

    def __init__(self, pattern: str) -> None:
        _compile(pattern)
        self._pattern = pattern

    def __call__(self, text: str) -> list[int]:
        """Ends of the pre-tokens of a line; InputError where the pattern takes too long or too much."""
        return self.lines([text])[0]

    def lines(self, texts: Sequence[str]) -> list[list[int]]:
        """The same of many lines, which share what the pattern may use."""
        return _runners[-1](self._pattern, texts)


def cut_here(pattern: str, texts: Sequence[str]) -> list[list[int]]:
    """Cut lines by a pattern, in this process; InputError where that takes too long or too much memory."""
    compiled = _compile(pattern)
    with current_allowance().spending() as deadline:
        return [_ends(compiled, text, deadline) for text in texts]


# The last one cuts; the first one is what every process but a server's uses.
_runners: list[CutLines] = [cut_here]


def run_patterns_by(cut_lines: CutLines) -> None:
    """Have all patterns of this process run by a function that does it elsewhere, from now on."""
    _runners[1:] = [cut_lines]


@lru_cache(maxsize=64)
def _compile(pattern: str) -> "regex.Pattern[str]":
    try:
        if len(pattern) > _MOST_CHARACTERS:
            raise OverflowError(f"more than {_MOST_CHARACTERS:,} characters")
        compiled: regex.Pattern[str] = regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputError(
            "the pre-tokenization pattern is not a valid regular expression: {detail}; correct it",
            code="pattern.invalid",
            detail=str(error),
        ) from None
    return compiled


def _ends(compiled: "regex.Pattern[str]", text: str, deadline: float) -> list[int]:
    ends: list[int] = []
    for match in compiled.finditer(text, timeout=max(1e-3, deadline - time.monotonic())):
        # Text between two matches is a pre-token of its own, and so is what follows the last match.
        for end in (match.start(), match.end()):
            if end > (ends[-1] if ends else 0):
                ends.append(end)
        if time.monotonic() > deadline:  # the module's own clock may begin anew with every match
            raise TimeoutError
    if time.monotonic() > deadline:
        raise TimeoutError
    if len(text) > (ends[-1] if ends else 0):
        ends.append(len(text))
    return ends


@contextmanager
def _address_space(max_bytes: int | None) -> Iterator[None]:
    """Let the process grow by so much and no more, on systems that say how large it is."""
    statistics = Path("/proc/self/statm")
    if max_bytes is None or sys.platform == "win32" or not statistics.exists():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = int(statistics.read_text().split()[0]) * resource.getpagesize() + max_bytes
    limits = [limit for limit in (soft, hard, size) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
