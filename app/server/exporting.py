"""Exports made in a process of their own: checking one encodes thousands of lines twice, in Python."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from app import ROOT
from app.texts.corpora import Source
from engine.errors import InputError

# By target of the command line: the ending of the file's name.
ENDINGS = {"hf": ".json", "sentencepiece": ".model", "vocab": ".vocab", "tiktoken": ".tiktoken"}

_SECONDS = 300
_SAMPLE_LINES = 2000


class Exported(NamedTuple):
    """A checked file: its content, the lines that were compared, and with what."""

    data: bytes
    checked_lines: int
    checked_with: str


def export_file(model: Path, target: str, profile: str, source: Source | None) -> Exported:
    """Run `python -m engine export` on a model file; the sample is the beginning of the training text.

    Raises
    ------
    InputError : the export is refused; the message says why, with the counterexample where there is one.
    """
    with tempfile.TemporaryDirectory(prefix="thunder-tok-export-") as folder:
        output = Path(folder) / f"model{ENDINGS[target]}"
        command = [sys.executable, "-m", "engine", "export", "--model", str(model), "--to", target,
                   "--output", str(output), "--profile", profile, "--json"]  # fmt: skip
        if source is not None:
            sample = Path(folder) / "sample.txt"
            lines = [line for line in source.lines() if line][:_SAMPLE_LINES]
            sample.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="ignore", newline="")
            command += ["--sample", str(sample)]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise InputError(
                "the export was stopped after {seconds} s; export a smaller vocabulary",
                code="export.time",
                seconds=_SECONDS,
            ) from None
        if done.returncode:
            raise _refusal(done.stdout)
        report = json.loads(done.stdout)
        return Exported(output.read_bytes(), report["checked_lines"], report.get("checked_with", ""))


def _refusal(output: bytes) -> InputError:
    """The error that the command has told of, in the last line of its output."""
    try:
        return InputError.from_fields(json.loads(output.splitlines()[-1])["error"])
    except (ValueError, LookupError, TypeError):
        return InputError("the export failed; try again", code="export.failed")
