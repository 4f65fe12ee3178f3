"""The options that choose files of a corpus by what is known of them, the same in every command that takes texts."""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from engine.corpus.files import CorpusFiles, parse_where
from engine.corpus.metadata import described, different_names, read_metadata
from engine.corpus.reading.encodings import ENCODINGS
from engine.corpus.reading.read import read_corpus


class FiledLines(NamedTuple):
    """The lines of a corpus, and the files that they are from."""

    lines: list[str]
    files: CorpusFiles

    def part(self, chosen: Sequence[int]) -> "FiledLines":
        """The files with these indices."""
        return FiledLines(self.files.lines_of(chosen, self.lines), self.files.part(chosen))

    def by(self, column: str) -> dict[str, list[str]]:
        """The lines of the files that share a value in a column of `files.columns`, by value."""
        values = self.files.values(column)
        return {value: self.files.lines_of(self.files.choose({column: [value]}), self.lines) for value in values}


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--column` and `--encoding`."""
    parser.add_argument("--column", metavar="NAME", help="column of the text, where a file is a table of several")
    add_encoding_argument(parser)


def add_encoding_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--encoding`."""
    parser.add_argument(
        "--encoding",
        choices=ENCODINGS,
        metavar="NAME",
        help=f"encoding of the text: {', '.join(ENCODINGS)} (default: found out, of Unicode and Korean ones)",
    )


def read_text(options: argparse.Namespace, path: str) -> list[str]:
    """Lines of a corpus file, read as these options say."""
    return read_corpus(path, options.encoding, options.column)


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--column`, `--encoding`, `--meta`, `--name-pattern` and `--where`."""
    add_reading_arguments(parser)
    parser.add_argument(
        "--meta", metavar="TABLE", help="table about the files: a column file, and others (register, year, ...)"
    )
    parser.add_argument(
        "--name-pattern",
        default="",
        metavar="PATTERN",
        help="what the parts of the files' names are (default: {register}_{year}_{speaker}, the last two optional)",
    )
    parser.add_argument(
        "--where",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN=VALUE",
        help="only these files, for example register=novel or year=1990..1999; several values of a column are "
        "alternatives",
    )


def read_filed(options: argparse.Namespace, paths: Sequence[str]) -> FiledLines:
    """All files, with what is known of them; what is odd about that goes to standard error.

    Raises
    ------
    InputError : a file or the table cannot be read, or two files have one name.
    """
    different_names(paths)
    lines = {path: read_text(options, path) for path in paths}
    table = read_metadata(options.meta) if options.meta else None
    files = CorpusFiles.of({path: len(own) for path, own in lines.items()})
    files, odd = described(files, table, options.name_pattern)
    for error in odd:
        # Names that follow no pattern are only odd to somebody who gave one.
        if error.code != "files.unnamed" or options.name_pattern:
            sys.stderr.write(f"{error}\n")
    return FiledLines([line for own in lines.values() for line in own], files)


def chosen_files(options: argparse.Namespace, files: CorpusFiles) -> tuple[int, ...]:
    """The files that `--where` chooses; all without it."""
    return files.choose(parse_where(options.where))
