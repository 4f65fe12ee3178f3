"""The text that measurements are made on: Korean of 13 registers, a part to train on and lines that are held back.

The same lines are held back as for the models that come with the program, so that no figure is of a line that any of
them has seen.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.corpus.reading.read import read_corpus

CORPUS, PARALLEL = "ko_mix", "parallel_pud"
HELD_BACK = 100


class EvidenceTexts(NamedTuple):
    """Lines by register, in the order of their names, and by language.

    Attributes
    ----------
    training : all lines but the held back ones.
    held_back : every HELD_BACK-th line.
    parallel : sentences by language; the n-th of each says the same.
    """

    training: dict[str, list[str]]
    held_back: dict[str, list[str]]
    parallel: dict[str, list[str]]

    def part(self, step: int) -> list[str]:
        """Every so many-th line to train on, of each register: whatever `step` divides is a part of it."""
        return [line for lines in self.training.values() for line in lines[::step]]


def read_texts(folder: Path) -> EvidenceTexts:
    """The registers in FOLDER/ko_mix and the languages in FOLDER/parallel_pud; ends where there are none."""
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
    """SHA-256 (hex) of the lines with line ends between them, as a model file names its corpus."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
