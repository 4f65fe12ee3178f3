"""Regular expressions of the user's own, or of a file that somebody brings, with the `regex` module.

Such a pattern may backtrack for ever, or nest until memory is full. So it gets an allowance of time and memory, one for
a whole text or for all that a command does (`pattern_allowance`); and a server has it run in another process
(`run_patterns_by`).
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

# Where nobody allows anything else: for the lines that are cut at one time.
REGEX_TIMEOUT_SECONDS = 2.0

# For all that a command does.
PATTERN_SECONDS = 60.0
PATTERN_BYTES = 1 << 30

_MOST_CHARACTERS = 20_000

# Codes of the errors that say so.
USED_UP = ("pattern.slow", "pattern.memory")

# What runs a pattern over texts: of each, begin and end of every match, one after the other.
FindMatches = Callable[[str, Sequence[str]], Sequence[Sequence[int]]]


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
            self.spend(time.monotonic() - began)

    def spend(self, seconds: float) -> None:
        """Take away so much."""
        self.left = max(0.0, self.left - seconds)


def too_slow(seconds: float) -> InputError:
    """The error of patterns that took longer than so many seconds."""
    return InputError("pattern.slow", seconds=seconds)


def too_large() -> InputError:
    """The error of patterns that took more memory than they may."""
    return InputError("pattern.memory")


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
    """A regular expression that anybody may have written.

    Parameters
    ----------
    pattern : the expression.
    is_known : it is one that ends soon on every text (engine.corpus.pretokens.known_patterns): it is run here in any
        case, and uses up nothing.

    Raises
    ------
    InputError : the pattern is not a valid regular expression.
    """

    def __init__(self, pattern: str, is_known: bool = False) -> None:
        self._compiled = _compile(pattern)
        self.pattern = pattern
        self._is_known = is_known

    def __call__(self, text: str) -> list[int]:
        """Ends of the pre-tokens of a line: the matches, and what lies between them."""
        return self.lines([text])[0]

    def lines(self, texts: Sequence[str]) -> list[list[int]]:
        """The same of many lines, which share what the pattern may use."""
        return [_ends(bounds, len(text)) for bounds, text in zip(self._run(texts), texts, strict=True)]

    def matches(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Begin and end of every match in each text.

        Raises
        ------
        InputError : the pattern takes too long, or too much memory.
        """
        return [list(zip(bounds[::2], bounds[1::2], strict=True)) for bounds in self._run(texts)]

    def _run(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        if self._is_known:
            return [_bounds(self._compiled.finditer(text)) for text in texts]
        return _runners[-1](self.pattern, texts)


def find_here(pattern: str, texts: Sequence[str]) -> list["array[int]"]:
    """Run a pattern in this process; InputError where that takes too long or too much memory."""
    compiled = _compile(pattern)
    with current_allowance().spending() as deadline:
        return [_bounds(_matches(compiled, text, deadline)) for text in texts]


# The last one runs patterns; the first one is what every process but a server's uses.
_runners: list[FindMatches] = [find_here]


def run_patterns_by(find_matches: FindMatches) -> None:
    """Have all patterns of this process run by a function that does it elsewhere, from now on."""
    _runners[1:] = [find_matches]


@lru_cache(maxsize=64)
def _compile(pattern: str) -> "regex.Pattern[str]":
    try:
        if len(pattern) > _MOST_CHARACTERS:
            raise OverflowError(f"more than {_MOST_CHARACTERS:,} characters")
        pattern.encode()  # half a surrogate pair is no text
        compiled: regex.Pattern[str] = regex.compile(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise InputError("pattern.invalid", detail=str(error)) from None
    return compiled


def _matches(compiled: "regex.Pattern[str]", text: str, deadline: float) -> "Iterator[regex.Match[str]]":
    for match in compiled.finditer(text, timeout=max(1e-3, deadline - time.monotonic())):
        yield match
        if time.monotonic() > deadline:  # the module's own clock may begin anew with every match
            raise TimeoutError
    if time.monotonic() > deadline:
        raise TimeoutError


def _bounds(matches: "Iterable[regex.Match[str]]") -> "array[int]":
    # A pattern may look from the right, (?r).
    return array("i", sorted(bound for match in matches for bound in match.span()))


def _ends(bounds: Sequence[int], length: int) -> list[int]:
    """Ends of the pre-tokens of a text: text between two matches is one of its own, and so is what follows the last."""
    ends: list[int] = []
    last = 0
    for end in (*bounds, length):
        if end > last:
            ends.append(end)
            last = end
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
