"""The kinds of work for workers, and the limits of each.

A kind is one entry of KINDS, one of the same name in `app.worker`, and a payload.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, Self

from app.server.limits import LimitError, Limits
from engine.errors import InputError
from engine.public.download import MAX_SECONDS, too_slow


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


@dataclass(frozen=True)
class Errand:
    """A payload that any server does: a request that fits into a message, and leaves nothing in the folder."""

    kind: str
    request: Mapping[str, object]
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def check(self, bounds: Limits) -> None:
        """Always possible."""

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The request itself."""
        return dict(self.request)

    def clear(self, folder: Path) -> Self:
        """Nothing was put there."""
        return self


@dataclass(frozen=True)
class Kind:
    """Properties and limits of all work of a kind.

    Parameters
    ----------
    too_slow : the error for work that took longer than the given seconds.
    seconds : wall-clock time; None: that of a training, by the server's limits.
    cpu_seconds : CPU time, if the system can limit it.
    memory_mb : address space beyond that of a fresh worker, if the system can limit it.
    lane : work only waits for other work of its lane.
    queued : how many may wait in the lane; None: by the server's limits.
    n_warm : so many workers are started ahead (`Registry.keep_warm`), and as many may run; 0: by the server's limits.
    is_short : a visitor is waiting at a form: it starts before longer work, and does not count against the visitor.
    stays : a worker that did it well waits for more of this lane: it takes a second or two to start another.
    makes_file : it leaves a file under its key, among the models.
    is_shared : it waits for the work of other processes as well, where these share a queue.
    """

    too_slow: Callable[[int], InputError]
    seconds: int | None = None
    cpu_seconds: int = 2 * 3600
    memory_mb: int = 6000
    lane: str = "training"
    queued: int | None = None
    n_warm: int = 0
    is_short: bool = False
    stays: bool = False
    makes_file: bool = False
    is_shared: bool = True


TRAINING, PROBING, RESAMPLING = "training", "probing", "resampling"
EXPORTING, FITTING, READING, FETCHING, COMPILING = "exporting", "fitting", "reading", "fetching", "compiling"
_TRAINING_TOO_SLOW = partial(LimitError, "job_seconds")

KINDS = {
    TRAINING: Kind(_TRAINING_TOO_SLOW, stays=True, makes_file=True),
    PROBING: Kind(_TRAINING_TOO_SLOW, stays=True, is_short=True),
    RESAMPLING: Kind(_TRAINING_TOO_SLOW, makes_file=True),
    EXPORTING: Kind(lambda seconds: InputError("export.time", seconds=seconds), 300, lane="exporting", is_short=True),
    FITTING: Kind(lambda seconds: InputError("fit.time", seconds=seconds), 300, lane="exporting", is_short=True),
    READING: Kind(
        lambda seconds: InputError("reading.time", seconds=seconds),
        30,
        20,
        1500,
        "reading",
        queued=40,
        n_warm=2,
        is_short=True,
        stays=True,
        is_shared=False,
    ),
    FETCHING: Kind(too_slow, MAX_SECONDS, lane="fetching"),
    COMPILING: Kind(_TRAINING_TOO_SLOW, 3600, lane="compiling", is_shared=False),
}
