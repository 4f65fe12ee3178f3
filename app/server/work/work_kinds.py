"""What workers are asked for: the kinds of work, and what each of them may use.

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
_READING = {"seconds": 30, "cpu_seconds": 20, "memory_mb": 1500}


class Payload(Protocol):
    """What is to be done. It never changes."""

    @property
    def kind(self) -> str:
        """A name in KINDS."""

    @property
    def key(self) -> str:
        """Equal payloads have equal keys and are done once for all who ask; that of a training names its model."""

    def check(self, bounds: Limits) -> None:
        """LimitError for what is too large for this server."""

    def hand_over(self, folder: Path) -> dict[str, object]:
        """What the worker is told, as JSON can hold it. What is too long for that goes into a private folder."""

    def clear(self, folder: Path) -> "Payload":
        """Remove what was put there; returns what may be remembered, which is no text of a visitor's."""


class Unbounded:
    """A payload that any server does, and that leaves nothing in the folder."""

    def check(self, bounds: Limits) -> None:
        """Always possible."""

    def clear(self, folder: Path) -> Self:
        """Nothing was put there."""
        return self


@dataclass(frozen=True)
class WorkLimits:
    """What one piece of work may use.

    Parameters
    ----------
    seconds : by the clock.
    cpu_seconds : of the processor, where the system can count them.
    memory_mb : address space beyond that of a worker that has done nothing yet, where the system can limit it.
    """

    seconds: int
    cpu_seconds: int = 2 * 3600
    memory_mb: int = 6000

    def message(self, kind: str, request: Mapping[str, object]) -> dict[str, object]:
        """What a worker is told: what to do, and what it may use of what only it can limit."""
        return {"kind": kind, "cpu_seconds": self.cpu_seconds, "memory_mb": self.memory_mb, "request": request}


@dataclass(frozen=True)
class Work:
    """A payload on its way to a worker; `visitor` is who asked first."""

    kind: str
    payload: Payload
    limits: WorkLimits
    visitor: Visitor = NOBODY


@dataclass(frozen=True)
class Kind:
    """What all work of a kind has in common.

    Parameters
    ----------
    limits : of one piece, as whoever runs the server has set them.
    too_slow : the error of work that took longer than so many seconds.
    lane : work waits for work of its own lane only.
    is_short : somebody looks at a form meanwhile: it is begun before a longer one, and counts for no visitor.
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


TRAINING, PROBING, RESAMPLING = "training", "probing", "resampling"
EXPORTING, READING, FETCHING = "exporting", "reading", "fetching"
_TRAINING_TOO_SLOW = partial(LimitError, "job_seconds")

KINDS = {
    TRAINING: Kind(_training_limits, _TRAINING_TOO_SLOW, makes_file=True),
    PROBING: Kind(_training_limits, _TRAINING_TOO_SLOW, is_short=True),
    RESAMPLING: Kind(_training_limits, _TRAINING_TOO_SLOW, makes_file=True),
    EXPORTING: Kind(_export_limits, _export_too_slow, lane="exporting", is_short=True),
    # By `app.server.work.reading`, whose workers wait for it, with a queue of their own.
    READING: Kind(_reading_limits, _reading_too_slow, lane="reading", is_short=True),
    FETCHING: Kind(_fetching_limits, too_slow, lane="fetching"),
}
