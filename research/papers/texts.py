"""The texts of the stored figures. They are kept outside the project."""

from pathlib import Path
from typing import NamedTuple

from engine.corpus.reading.read import read_corpus, read_lines
from engine.evidence.templates import wrap
from engine.tokenizer import Tokenizer
from engine.unigram.model.model import token_label
from research.evidence.texts import HELD_BACK

# Table 3's columns: the training text and four benchmarks; our text, and the benchmark whose template it uses.
TABLE_3 = {
    "held back": ("", "none"),
    "fiction": ("ko_literature.txt", "hellaswag"),
    "casual": ("ko_klue_casual.txt", "copa"),
    "formal": ("ko_formal.txt", "arc"),
    "mixed prose": ("ko_kaist_raw.txt", "lambada"),
}


class Korean(NamedTuple):
    """Lines to train on, and held-out texts by the names of TABLE_3."""

    training: list[str]
    held_back: dict[str, list[str]]


def read_korean(folder: Path) -> Korean:
    """Read FOLDER/ko_mix/*.txt.zst and FOLDER/ko_*.txt."""
    paths = sorted((folder / "ko_mix").glob("*.txt.zst"))
    if not paths:
        raise SystemExit(f"there are no texts in {folder}/ko_mix; name the folder that holds them")
    registers = [read_corpus(path) for path in paths]
    of_table = {
        name: wrap(read_lines(folder / file, "utf-8"), template)
        if file
        else [line for lines in registers for line in lines[::HELD_BACK]]
        for name, (file, template) in TABLE_3.items()
    }
    return Korean([line for lines in registers for i, line in enumerate(lines) if i % HELD_BACK], of_table)


def pieces_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """The text of each token in a text; a part of a character is written as bytes, `<0xEC>`."""
    data = text.encode()
    return [token_label(data[begin:end]) for begin, end in tokenizer.encode(text).spans]
