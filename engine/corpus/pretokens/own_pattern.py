"""Untrusted regular expressions, from the user or from an imported file, run with the `regex` module.

Such a pattern may backtrack for ever or exhaust memory. So it has a budget of time and memory, for one text or for a
whole command (`pattern_allowance`), and a server runs it in another process (`run_patterns_by`).
"""

import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

import regex

from engine.errors import InputError

# Default, for each call.
REGEX_TIMEOUT_SECONDS = 2.0

# For a whole command.
PATTERN_SECONDS = 60.0
PATTERN_BYTES = 1 << 30

_MOST_CHARACTERS = 20_000

# Error codes of an exhausted allowance.
USED_UP = ("pattern.slow", "pattern.memory")

# Runs a pattern over texts; returns for each text the begins and ends of all matches, interleaved.
FindMatches = Callable[[str, Sequence[str]], Sequence[Sequence[int]]]


class Allowance:
    """A budget of time and memory shared by several patterns.

    Parameters
    ----------
    seconds : wall-clock time while they run.
    max_bytes : growth of the address space, if the system can limit it. The limit applies to the whole process, so use
        it only in single-threaded processes. None: no limit.
    """

    def __init__(self, seconds: float, max_bytes: int | None = None) -> None:
        self.seconds, self.left = seconds, seconds
        self._max_bytes = max_bytes

    @contextmanager
    def spending(self) -> Iterator[float]:
        """Spend the budget inside the block; yields the deadline (time.monotonic).

        Raises
        ------
        InputError : the budget is exhausted.
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
            self.spend(time.monotonic() - began)

    def spend(self, seconds: float) -> None:
        """Subtract from the time that is left."""
        self.left = max(0.0, self.left - seconds)


def too_slow(seconds: float) -> InputError:
    """The error for patterns that took longer than `seconds`."""
    return InputError("pattern.slow", seconds=seconds)


def too_large() -> InputError:
    """The error for patterns that exceeded the memory limit."""
    return InputError("pattern.memory")


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def pattern_allowance(seconds: float, max_bytes: int | None = None) -> Iterator[None]:
    """Share one allowance among all patterns run inside the block in this thread; see Allowance."""
    token = _allowance.set(Allowance(seconds, max_bytes))
    try:
        yield
    finally:
        _allowance.reset(token)


def current_allowance() -> Allowance:
    """The allowance in force; by default a new one of REGEX_TIMEOUT_SECONDS."""
    return _allowance.get() or Allowance(REGEX_TIMEOUT_SECONDS)


class OwnPattern:
    """A regular expression that may be untrusted.

    Parameters
    ----------
    pattern : the expression.
    is_known : whether it terminates quickly on any text (engine.corpus.pretokens.known_patterns): it then always runs
        in this process and spends no allowance.

    Raises
    ------
    InputError : the pattern is not a valid regular expression.
    """

    def __init__(self, pattern: str, is_known: bool = False) -> None:
        self._compiled = _compile(pattern)
        self.pattern = pattern
        self._is_known = is_known

    def __call__(self, text: str) -> list[int]:
        """End offsets of the pre-tokens of a line: the matches and the text between them."""
        return self.lines([text])[0]

    def lines(self, texts: Sequence[str]) -> list[list[int]]:
        """The same for many lines, which share one allowance."""
        return [_ends(bounds, len(text)) for bounds, text in zip(self._run(texts), texts, strict=True)]

    def matches(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Begin and end of every match in each text; InputError if the pattern takes too long or too much memory."""
        return [list(zip(bounds[::2], bounds[1::2], strict=True)) for bounds in self._run(texts)]

    def _run(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        if self._is_known:
            return [_bounds(self._compiled.finditer(text)) for text in texts]
        return _runners[-1](self.pattern, texts)


def find_here(pattern: str, texts: Sequence[str]) -> list["array[int]"]:
    """Run a pattern in this process; InputError if it takes too long or too much memory."""
    compiled = _compile(pattern)
    with current_allowance().spending() as deadline:
        return [_bounds(_matches(compiled, text, deadline)) for text in texts]


# The last one is used; only a server adds one.
_runners: list[FindMatches] = [find_here]


def run_patterns_by(find_matches: FindMatches) -> None:
    """From now on, run all patterns of this process through `find_matches`, which may use another process."""
    _runners[1:] = [find_matches]


@lru_cache(maxsize=64)
def _compile(pattern: str) -> "regex.Pattern[str]":
    try:
        if len(pattern) > _MOST_CHARACTERS:
            raise OverflowError(f"more than {_MOST_CHARACTERS:,} characters")
        pattern.encode()  # rejects lone surrogates
        compiled: regex.Pattern[str] = regex.compile(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise InputError("pattern.invalid", detail=str(error)) from None
    return compiled


def _matches(compiled: "regex.Pattern[str]", text: str, deadline: float) -> "Iterator[regex.Match[str]]":
    for match in compiled.finditer(text, timeout=max(1e-3, deadline - time.monotonic())):
        yield match
        if time.monotonic() > deadline:  # the module may restart its own timeout with every match
            raise TimeoutError
    if time.monotonic() > deadline:
        raise TimeoutError


def _bounds(matches: "Iterable[regex.Match[str]]") -> "array[int]":
    # Sorted, since a pattern may search backwards, (?r).
    return array("i", sorted(bound for match in matches for bound in match.span()))


def _ends(bounds: Sequence[int], length: int) -> list[int]:
    """End offsets of the pre-tokens of a text; text between matches and after the last one is a pre-token, too."""
    ends: list[int] = []
    last = 0
    for end in (*bounds, length):
        if end > last:
            ends.append(end)
            last = end
    return ends


@contextmanager
def _address_space(max_bytes: int | None) -> Iterator[None]:
    """Limit the growth of the process's address space, on systems with /proc/self/statm."""
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
