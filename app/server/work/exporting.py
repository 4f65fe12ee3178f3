"""Exports, made by a worker: checking one encodes thousands of lines twice, in Python."""

import tempfile
from pathlib import Path
from typing import NamedTuple

from app.server.visitors import Visitor
from app.server.work.jobs import DONE, registry
from app.server.work.work_kinds import EXPORTING, Errand
from app.texts.corpora import Text
from engine.errors import InputError

_SAMPLE_LINES = 2000


class Exported(NamedTuple):
    """A checked file: its content, the number of lines compared, and the library that checked it."""

    data: bytes
    checked_lines: int
    checked_with: str


def export_file(model: Path, target: str, profile: str, source: Text | None, visitor: Visitor) -> Exported:
    """Export a model file, checked on the beginning of its training text. Waits for the worker.

    Raises
    ------
    InputError : the export is refused; the message says why, with a counterexample if there is one.
    """
    with tempfile.TemporaryDirectory(prefix="export-", dir=registry().folder) as folder:
        sample, output = Path(folder) / "sample.txt", Path(folder) / "exported"
        if source is not None:
            lines = [line for line in source.lines() if line][:_SAMPLE_LINES]
            sample.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="ignore", newline="")
        request = {
            "model": str(model),
            "target": target,
            "profile": profile,
            "sample": [] if source is None else [str(sample)],
            "output": str(output),
        }
        job = registry().run(Errand(EXPORTING, request), visitor)
        if job.state == DONE:
            return Exported(output.read_bytes(), job.result["checked_lines"], job.result["checked_with"])
    # Worker errors about trainings and their texts do not fit here.
    if job.error is None or job.error.code.startswith("job."):
        raise InputError("export.failed")
    raise job.error
