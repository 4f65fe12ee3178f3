"""The kinds of work for workers, and the limits of each.

A kind is one entry of KINDS, one of the same name in `app.worker`, and a payload.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, Self

from app.server.limits import LimitError, Limits
from app.server.visitors import NOBODY, Visitor
from engine.errors import InputError
from engine.public.download import MAX_SECONDS, too_slow

_EXPORT_SECONDS = 300
_COMPILING_SECONDS = 3600
_READING = {"seconds": 30, "cpu_seconds": 20, "memory_mb": 1500}


class Payload(Protocol):
    """What to do. Immutable."""

    @property
    def kind(self) -> str:
        """A name in KINDS."""

    @property
    def key(self) -> str:
        """Equal payloads have equal keys and are done once for everyone; the key of a training names its model."""

    def check(self, bounds: Limits) -> None:
        """LimitError if it is too large for this server."""

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The request for the worker, as JSON values; anything too long goes into a private folder."""

    def clear(self, folder: Path) -> "Payload":
        """Remove those files; returns the payload without visitors' texts, to be remembered."""


class Unbounded:
    """A payload that any server does, and that leaves nothing in the folder."""

    def check(self, bounds: Limits) -> None:
        """Always possible."""

    def clear(self, folder: Path) -> Self:
        """Nothing was put there."""
        return self


@dataclass(frozen=True)
class WorkLimits:
    """Limits of one task.

    Parameters
    ----------
    seconds : wall-clock time.
    cpu_seconds : CPU time, if the system can limit it.
    memory_mb : address space beyond that of a fresh worker, if the system can limit it.
    """

    seconds: int
    cpu_seconds: int = 2 * 3600
    memory_mb: int = 6000

    def message(self, kind: str, request: Mapping[str, object]) -> dict[str, object]:
        return {"kind": kind, "cpu_seconds": self.cpu_seconds, "memory_mb": self.memory_mb, "request": request}


@dataclass(frozen=True)
class Work:
    """A payload with its limits; `visitor` is who submitted it first."""

    kind: str
    payload: Payload
    limits: WorkLimits
    visitor: Visitor = NOBODY


@dataclass(frozen=True)
class Kind:
    """Properties shared by all work of a kind.

    Parameters
    ----------
    limits : of one task, from the server's limits.
    too_slow : the error for work that took longer than the given seconds.
    lane : work only waits for other work of its lane.
    is_short : a visitor is waiting at a form: it starts before longer work, and does not count against the visitor.
    makes_file : it leaves a file under its key, among the models.
    """

    limits: Callable[[Limits], WorkLimits]
    too_slow: Callable[[int], InputError]
    lane: str = "training"
    is_short: bool = False
    makes_file: bool = False


def _training_limits(bounds: Limits) -> WorkLimits:
    return WorkLimits(bounds.job_seconds)


def _export_limits(bounds: Limits) -> WorkLimits:
    return WorkLimits(_EXPORT_SECONDS)


def _export_too_slow(seconds: int) -> InputError:
    return InputError("export.time", seconds=seconds)


def _reading_limits(bounds: Limits) -> WorkLimits:
    return WorkLimits(**_READING)


def _reading_too_slow(seconds: int) -> InputError:
    return InputError("reading.time", seconds=seconds)


def _fetching_limits(bounds: Limits) -> WorkLimits:
    return WorkLimits(MAX_SECONDS)


def _compiling_limits(bounds: Limits) -> WorkLimits:
    return WorkLimits(_COMPILING_SECONDS)


TRAINING, PROBING, RESAMPLING = "training", "probing", "resampling"
EXPORTING, READING, FETCHING, COMPILING = "exporting", "reading", "fetching", "compiling"
_TRAINING_TOO_SLOW = partial(LimitError, "job_seconds")

KINDS = {
    TRAINING: Kind(_training_limits, _TRAINING_TOO_SLOW, makes_file=True),
    PROBING: Kind(_training_limits, _TRAINING_TOO_SLOW, is_short=True),
    RESAMPLING: Kind(_training_limits, _TRAINING_TOO_SLOW, makes_file=True),
    EXPORTING: Kind(_export_limits, _export_too_slow, lane="exporting", is_short=True),
    # Handled by `app.server.work.reading`, whose callers block, with a queue of its own.
    READING: Kind(_reading_limits, _reading_too_slow, lane="reading", is_short=True),
    FETCHING: Kind(_fetching_limits, too_slow, lane="fetching"),
    # Not queued: see `app.server.work.kernels`.
    COMPILING: Kind(_compiling_limits, _TRAINING_TOO_SLOW, lane="compiling"),
}
