"""The texts of the measurements: Korean of 13 registers, split into training lines and held-back lines, and others.

The same lines are held back as for the shipped models, so no figure is measured on a line that any of them has seen.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.corpus.reading.read import read_corpus, read_lines
from engine.evidence.templates import wrap
from engine.tokenizer import Tokenizer
from engine.unigram.model.model import token_label

CORPUS, PARALLEL = "ko_mix", "parallel_pud"
HELD_BACK = 100
STEP_OF = {1: 24, 3: 8, 12: 2, 25: 1}
"""By megabytes of Korean, the step of the part that has about so many; each part contains the smaller ones."""
# Columns of Thunder-Tok's Table 3, the training text and four benchmarks: our text, and the benchmark whose template it
# uses.
TABLE_3 = {
    "held back": ("", "none"),
    "fiction": ("ko_literature.txt", "hellaswag"),
    "casual": ("ko_klue_casual.txt", "copa"),
    "formal": ("ko_formal.txt", "arc"),
    "mixed prose": ("ko_kaist_raw.txt", "lambada"),
}


class EvidenceTexts(NamedTuple):
    """Lines by register, sorted by name, and by language.

    Attributes
    ----------
    training : all lines except the held-back ones.
    held_back : every HELD_BACK-th line.
    parallel : sentences by language, aligned by index.
    folder : where they, and further texts, are.
    """

    training: dict[str, list[str]]
    held_back: dict[str, list[str]]
    parallel: dict[str, list[str]]
    folder: Path = Path()

    def part(self, step: int) -> list[str]:
        """Every `step`-th training line of each register; a multiple of `step` gives a subset."""
        return [line for lines in self.training.values() for line in lines[::step]]

    @property
    def every_held_back(self) -> list[str]:
        """The held-back lines of all registers."""
        return [line for lines in self.held_back.values() for line in lines]

    def of_table_3(self) -> dict[str, list[str]]:
        """Held-out texts by the names of TABLE_3."""
        return {
            name: wrap(read_lines(self.folder / file, "utf-8"), template) if file else self.every_held_back
            for name, (file, template) in TABLE_3.items()
        }


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
        folder,
    )


def pieces_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """The text of each token in a text; a part of a character is written as bytes, `<0xEC>`."""
    data = text.encode()
    return [token_label(data[begin:end]) for begin, end in tokenizer.encode(text).spans]


def fingerprint(lines: Sequence[str]) -> str:
    """SHA-256 (hex) of the lines joined by line ends, as in a model file's name of its corpus."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
