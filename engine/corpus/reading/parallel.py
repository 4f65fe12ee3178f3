"""Parallel texts: line n is the same sentence in every language. One file per language, or one table column each.

>>> texts = open_parallel("ko\\ten\\n안녕\\thello\\n\\n고마워\\tthanks\\n".encode(), "greetings.tsv")
>>> aligned_lines(texts)
{'ko': ['안녕', '고마워'], 'en': ['hello', 'thanks']}
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import open_corpus
from engine.corpus.reading.tables import KINDS
from engine.corpus.reading.unpack import DEFAULT_MAX_BYTES, SizeError
from engine.errors import InputError

_PACKED = (".gz", ".zst")


def open_parallel(data: bytes, name: str, max_bytes: int = DEFAULT_MAX_BYTES) -> dict[str, list[str]]:
    """The lines of a file by language: a text file is one language, named after the file; a table has one per column.

    Columns that contain only numbers (e.g. ids) are skipped. Line breaks in a cell become spaces.

    Parameters
    ----------
    name : file name; the extension distinguishes tables from texts.
    max_bytes : maximum UTF-8 bytes of all columns together.

    Raises
    ------
    SizeError : the file is larger.
    InputError : the file cannot be read.
    """
    content, _ = open_corpus(data, name, None, max_bytes)
    if isinstance(content, str):
        return {language_of(name): split_lines(content)}
    columns: dict[str, list[str]] = {}
    size = 0
    for column in content.names:
        cells = [" ".join(cell.splitlines()) for cell in content.cells(column, max_bytes)]
        if all(cell.replace(".", "", 1).strip("- ").isdigit() or not cell.strip() for cell in cells):
            continue
        size += sum(len(cell.encode()) + 1 for cell in cells)
        if size > max_bytes:
            raise SizeError(max_bytes, column=column)
        columns[column] = cells
    return columns


def language_of(name: str) -> str:
    """Language name for a file: its name without known extensions, `corpus.ko` for `corpus.ko.txt`."""
    path = PurePath(name)
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path.stem if path.suffix.lower() in {".txt", *KINDS} else path.name


def aligned_lines(texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The texts without the lines that are empty in all of them.

    Raises
    ------
    InputError : there are fewer than two texts, their lengths differ, or a line is empty in only some of them.
    """
    if len(texts) < 2:
        raise InputError("parallel.few", count=len(texts))
    ended = {name: _without_empty_end(lines) for name, lines in texts.items()}
    shortest, longest = (choose(ended, key=lambda name: len(ended[name])) for choose in (min, max))
    if len(ended[shortest]) != len(ended[longest]):
        raise InputError(
            "parallel.length",
            longest=longest,
            n_longest=len(ended[longest]),
            shortest=shortest,
            n_shortest=len(ended[shortest]),
            number=len(ended[shortest]) + 1,
        )
    kept: dict[str, list[str]] = {name: [] for name in ended}
    for number, row in enumerate(zip(*ended.values(), strict=True), start=1):
        written = [name for name, line in zip(ended, row, strict=True) if line.strip()]
        if not written:
            continue
        if len(written) < len(ended):
            empty = next(name for name in ended if name not in written)
            raise InputError("parallel.gap", number=number, empty=empty, written=written[0])
        for name, line in zip(ended, row, strict=True):
            kept[name].append(line)
    if not next(iter(kept.values())):
        raise InputError("parallel.empty")
    return kept


def _without_empty_end(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])
