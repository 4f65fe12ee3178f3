"""`make papers`: reproduces the stored figures of the page Papers.

    python -m research.papers.make FOLDER [NAME ...]

FOLDER contains the texts. Each measurement is a module here with `corpus(folder)` (fingerprints), `settings()` and
`figures(folder)`, which yields all figures so far; they are stored after each step.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from engine.evidence.stored import EVIDENCE

MEASUREMENTS = ("worked", "public", "shipped", "entropy", "thunder_tok")


def main(folder: Path, names: Sequence[str] = ()) -> None:
    """Make the measurements of these names, or all."""
    EVIDENCE.mkdir(exist_ok=True)
    commit = _commit()  # before any file of the project changes
    for name in names or MEASUREMENTS:
        measurement = import_module(f"research.papers.{name}")
        content = {
            "name": f"papers_{name}",
            "command": f"python -m research.papers.make FOLDER {name}",
            "commit": commit,
            "corpus": measurement.corpus(folder),
            "settings": measurement.settings(),
        }
        for figures in measurement.figures(folder):
            text = json.dumps({**content, "figures": figures}, ensure_ascii=False, indent=1)
            # Lists, and mappings of lists or numbers, in a line.
            for brackets in (r"\[([^][{}]*)\]", r"\{([^{}\n]*(?:\n[^{}\n]*){,9})\}"):
                text = re.sub(brackets, lambda match: re.sub(r"\n *", " ", match[0]), text)
            (EVIDENCE / f"papers_{name}.json").write_text(text + "\n", encoding="utf-8")
            sys.stderr.write(f"{name}: {len(text):,} bytes so far\n")


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
