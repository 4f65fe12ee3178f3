"""The files of a corpus: names, where their lines are, and what is known of each (register, year, speaker, ...)."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from engine.corpus.normalize import composed
from engine.errors import InputError

_T = TypeVar("_T")

# The column of metadata that every corpus has: the names of its files.
FILE = "file"
_MOST_DIGITS = 18  # of a number in a period
_WHOLE = re.compile(rf"-?\d{{1,{_MOST_DIGITS}}}")
_PERIOD = re.compile(r"(-?\d+)?\.\.(-?\d+)?")


@dataclass(frozen=True)
class CorpusFiles:
    """Files whose lines are joined, in order.

    Parameters
    ----------
    names : one per file, all different.
    line_ptr : int of length n_files + 1; file i has the lines line_ptr[i] to line_ptr[i + 1].
    metadata : by column, the value of every file; "" where it is unknown. It is kept in NFC, in which columns and
        values are compared.

    Examples
    --------
    >>> files = CorpusFiles.of({"a.txt": 2, "b.txt": 3}, {"register": ("novel", "news")})
    >>> files.choose({"register": ["news"]})
    (1,)
    >>> files.lines_of((1,), ["a1", "a2", "b1", "b2", "b3"])
    ['b1', 'b2', 'b3']
    >>> files.place(3)
    (1, 1)
    """

    names: tuple[str, ...]
    line_ptr: tuple[int, ...]
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        own = {composed(column): tuple(map(composed, values)) for column, values in self.metadata.items()}
        object.__setattr__(self, "metadata", own)

    @classmethod
    def of(cls, n_lines: Mapping[str, int], metadata: Mapping[str, tuple[str, ...]] | None = None) -> "CorpusFiles":
        """Files by name with their numbers of lines."""
        ptr = np.append(0, np.cumsum(list(n_lines.values()), dtype=np.int64))
        return cls(tuple(n_lines), tuple(ptr.tolist()), dict(metadata or {}))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_lines(self) -> tuple[int, ...]:
        """Number of lines of every file."""
        return tuple(end - begin for begin, end in zip(self.line_ptr, self.line_ptr[1:], strict=False))

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The names (in NFC), as a column called `file`, and the metadata."""
        return {FILE: tuple(map(composed, self.names)), **self.metadata}

    @property
    def telling(self) -> dict[str, tuple[str, ...]]:
        """The metadata without columns that only repeat the names of the files."""
        return {
            column: values
            for column, values in self.metadata.items()
            if len(set(values)) < len(values)
            or not all(name.startswith(value) for name, value in zip(self.columns[FILE], values, strict=True))
        }

    def values(self, column: str) -> list[str]:
        """Distinct values of a column, in the order of the files; InputError if there is no such column."""
        return list(dict.fromkeys(self._column(column)))

    def choose(self, where: Mapping[str, Iterable[str]]) -> tuple[int, ...]:
        """Indices of the files that have one of the given values in every given column.

        Parameters
        ----------
        where : values by column; `1990..1999` among them stands for all whole numbers from 1990 to 1999,
            `1990..` and `..1999` for those from or up to one.

        Raises
        ------
        InputError : there is no such column, no file has these values, or a period has numbers of too many digits.
        """
        chosen = list(range(len(self)))
        for column, wanted in where.items():
            values, tests = self._column(column), [_test(composed(value)) for value in wanted]
            chosen = [i for i in chosen if any(test(values[i]) for test in tests)]
        if not chosen:
            raise InputError("files.none", where=said_of(where))
        return tuple(chosen)

    def by(self, column: str) -> dict[str, tuple[int, ...]]:
        """Indices of the files that share a value in a column, by value; InputError if there is no such column."""
        return {value: self.choose({column: [value]}) for value in self.values(column)}

    def rest(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """Indices of all other files; InputError if there are none."""
        others = tuple(sorted(set(range(len(self))) - set(chosen)))
        if not others:
            raise InputError("files.no_rest")
        return others

    def part(self, chosen: Sequence[int]) -> "CorpusFiles":
        """The files with these indices, as a corpus of their own."""
        metadata = {name: tuple(values[i] for i in chosen) for name, values in self.metadata.items()}
        return CorpusFiles.of({self.names[i]: self.n_lines[i] for i in chosen}, metadata)

    def lines_of(self, chosen: Iterable[int], lines: Sequence[_T]) -> list[_T]:
        """What belongs to the lines of these files, of one thing per line of the corpus."""
        return [line for i in chosen for line in lines[self.line_ptr[i] : self.line_ptr[i + 1]]]

    def place(self, line: int) -> tuple[int, int]:
        """Index of the file that a line (from 0) of the corpus is in, and its index among the lines of the file."""
        file = int(np.searchsorted(self.line_ptr, line, "right")) - 1
        return file, line - self.line_ptr[file]

    def places(self, lines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`place` of many lines: int64[n] of files, and int64[n] of lines in them."""
        file = np.searchsorted(self.line_ptr, lines, "right") - 1
        return file, lines - np.asarray(self.line_ptr)[file]

    def sums(self, per_line: np.ndarray) -> np.ndarray:
        """[n_files, ...]: the sum over the lines of every file, of numbers [n_lines, ...]."""
        zero = np.zeros((1, *per_line.shape[1:]), dtype=np.result_type(per_line.dtype, np.int64))
        return np.diff(np.concatenate([zero, np.cumsum(per_line, axis=0)])[list(self.line_ptr)], axis=0)

    def _column(self, column: str) -> tuple[str, ...]:
        columns = self.columns
        if composed(column) not in columns:
            raise InputError("files.column", column=column, choices=", ".join(columns))
        return columns[composed(column)]


def said_of(where: Mapping[str, Iterable[str]]) -> str:
    """A choice of files as it is written on the command line: `register=novel, year=1998`."""
    return ", ".join(f"{column}={value}" for column, values in where.items() for value in values)


def parse_where(conditions: Iterable[str]) -> dict[str, list[str]]:
    """Values by column of conditions such as `register=novel`; several for one column are alternatives.

    Raises
    ------
    InputError : a condition has no column or no equals sign.

    Examples
    --------
    >>> parse_where(["register=novel", "register=news", "year=1990..1999"])
    {'register': ['novel', 'news'], 'year': ['1990..1999']}
    """
    where: dict[str, list[str]] = {}
    for condition in conditions:
        column, equals, value = condition.partition("=")
        if not equals or not column.strip():
            raise InputError("files.where", condition=condition)
        where.setdefault(column.strip(), []).append(value.strip())
    return where


def _test(wanted: str) -> Callable[[str], bool]:
    """Whether a value is the one wanted, or a whole number in the period wanted."""
    period = _PERIOD.fullmatch(wanted)
    if period is None:
        return lambda value: value == wanted
    low, high = period.groups()
    if not all(end is None or _WHOLE.fullmatch(end) for end in (low, high)):
        raise InputError("files.period", most=_MOST_DIGITS)
    low, high = -math.inf if low is None else int(low), math.inf if high is None else int(high)
    return lambda value: value == wanted or (bool(_WHOLE.fullmatch(value)) and low <= int(value) <= high)
