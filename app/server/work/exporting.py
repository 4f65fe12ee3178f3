"""Exports, made by a worker: checking one encodes thousands of lines twice, in Python."""

import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from app.server.visitors import Visitor
from app.server.work.jobs import DONE, JobView, registry
from app.server.work.work_kinds import EXPORTING, Unbounded
from app.texts.corpora import Text
from engine.errors import InputError

_SAMPLE_LINES = 2000
_POLL_SECONDS = 0.05


class Exported(NamedTuple):
    """A checked file: its content, the number of lines compared, and the library that checked it."""

    data: bytes
    checked_lines: int
    checked_with: str


@dataclass(frozen=True)
class _Export(Unbounded):
    """A model file that is to become a file of another program, as work."""

    model: Path
    target: str
    profile: str
    sample: Path | None
    output: Path
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    kind = EXPORTING

    def hand_over(self, folder: Path) -> dict[str, object]:
        """The files, and the target."""
        return {
            "model": str(self.model),
            "target": self.target,
            "profile": self.profile,
            "sample": [str(self.sample)] if self.sample else [],
            "output": str(self.output),
        }


def export_file(model: Path, target: str, profile: str, source: Text | None, visitor: Visitor) -> Exported:
    """Export a model file, checked on the beginning of its training text. Waits for the worker.

    Raises
    ------
    InputError : the export is refused; the message says why, with a counterexample if there is one.
    """
    with tempfile.TemporaryDirectory(prefix="export-", dir=registry().folder) as folder:
        sample, output = None, Path(folder) / "exported"
        if source is not None:
            sample = Path(folder) / "sample.txt"
            lines = [line for line in source.lines() if line][:_SAMPLE_LINES]
            sample.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="ignore", newline="")
        job = _done(registry().submit(_Export(model, target, profile, sample, output), visitor))
        return Exported(output.read_bytes(), job.result["checked_lines"], job.result["checked_with"])


def _done(job_id: str) -> JobView:
    """Wait for a job; raise InputError unless it succeeds."""
    try:
        while (job := registry().view(job_id)) is not None and job.is_active:
            time.sleep(_POLL_SECONDS)
    finally:
        registry().cancel(job_id)
    if job is not None and job.state == DONE:
        return job
    # Worker errors about trainings and their texts do not fit here.
    if job is None or job.error is None or job.error.code.startswith("job."):
        raise InputError("export.failed")
    raise job.error
