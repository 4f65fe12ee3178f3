"""The text of the measurements: Korean of 13 registers, split into training lines and held-back lines.

The same lines are held back as for the shipped models, so no figure is measured on a line that any of them has seen.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.corpus.reading.read import read_corpus

CORPUS, PARALLEL = "ko_mix", "parallel_pud"
HELD_BACK = 100
STEP_OF = {1: 24, 3: 8, 12: 2, 25: 1}
"""By megabytes of Korean, the step of the part that has about so many; each part contains the smaller ones."""


class EvidenceTexts(NamedTuple):
    """Lines by register, sorted by name, and by language.

    Attributes
    ----------
    training : all lines except the held-back ones.
    held_back : every HELD_BACK-th line.
    parallel : sentences by language, aligned by index.
    """

    training: dict[str, list[str]]
    held_back: dict[str, list[str]]
    parallel: dict[str, list[str]]

    def part(self, step: int) -> list[str]:
        """Every `step`-th training line of each register; a multiple of `step` gives a subset."""
        return [line for lines in self.training.values() for line in lines[::step]]


def read_texts(folder: Path) -> EvidenceTexts:
    """The registers in FOLDER/ko_mix and the languages in FOLDER/parallel_pud; exits if there are none."""
    paths = sorted((folder / CORPUS).glob("*.txt.zst"))
    if not paths:
        raise SystemExit(f"nothing was made: there are no texts in {folder / CORPUS}; name the folder that holds them")
    texts = {path.name.removesuffix(".txt.zst"): read_corpus(path) for path in paths}
    return EvidenceTexts(
        {name: [line for i, line in enumerate(lines) if i % HELD_BACK] for name, lines in texts.items()},
        {name: lines[::HELD_BACK] for name, lines in texts.items()},
        {path.stem: read_corpus(path) for path in sorted((folder / PARALLEL).glob("??.txt"))},
    )


def fingerprint(lines: Sequence[str]) -> str:
    """SHA-256 (hex) of the lines joined by line ends, as in a model file's name of its corpus."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
