"""`make papers`: reproduces the stored figures of the page Papers.

    python -m research.papers.make FOLDER [NAME ...]

FOLDER contains the texts. Each measurement is a module here with `corpus(folder)` (fingerprints), `settings()` and
`figures(folder)`, which yields all figures so far; they are stored after each step.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from research.evidence.make import described, store

MEASUREMENTS = ("worked", "public", "shipped", "entropy", "thunder_tok")


def main(folder: Path, names: Sequence[str] = ()) -> None:
    """Make the measurements of these names, or all."""
    for name in names or MEASUREMENTS:
        measurement = import_module(f"research.papers.{name}")
        command = f"python -m research.papers.make FOLDER {name}"
        content = described(f"papers_{name}", command, measurement, folder)
        for figures in measurement.figures(folder):
            store({**content, "figures": figures})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
