"""The options that choose texts and how they are analysed."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from engine.commands.options import add_several
from engine.commands.output import show_progress
from engine.corpus.files import CorpusFiles, parse_where
from engine.corpus.joined import filed
from engine.corpus.metadata import described, different_names, read_metadata
from engine.corpus.morphemes.analysers import ANALYSERS, KIWI
from engine.corpus.morphemes.morpheme import AnalyserSettings
from engine.corpus.morphemes.user_dictionary import read_user_dictionary
from engine.corpus.reading.encodings import ENCODINGS
from engine.corpus.reading.read import FilePart, read_parts, require_split
from engine.errors import InputError
from engine.measure.words import AUTO, DEFINITIONS
from engine.messages import locale_language
from engine.scale.by_block import BlockCorpus, BlockWorkers, block_workers, file_parts

WORD_CHOICES = (AUTO, *DEFINITIONS)


class FiledLines(NamedTuple):
    """The lines of a corpus, and the files that they are from."""

    lines: list[str]
    files: CorpusFiles

    def part(self, chosen: Sequence[int]) -> "FiledLines":
        """The files with these indices."""
        return FiledLines(self.files.lines_of(chosen, self.lines), self.files.part(chosen))

    def by(self, column: str) -> dict[str, list[str]]:
        """The lines of the files that share a value in a column of `files.columns`, by value."""
        return {value: self.files.lines_of(chosen, self.lines) for value, chosen in self.files.by(column).items()}


def add_files_argument(parser: argparse.ArgumentParser) -> None:
    """Add the files to search, and the options of `add_corpus_arguments`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="text files or tables; one or more")
    add_corpus_arguments(parser)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--column`, `--split` and `--encoding`."""
    parser.add_argument("--column", metavar="NAME", help="column of the text, where a file is a table of several")
    about = "columns of a table that divide it into parts, such as register or year; rows of one part follow each other"
    add_several(parser, "--split", "NAME", about)
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
    lines, parts = read_parts(path, options.encoding, options.column, options.split)
    require_split(options.split, parts)
    return lines


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--column`, `--split`, `--encoding`, `--meta`, `--name-pattern` and `--where`."""
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
    about = (
        "only these files, for example register=novel or year=1990..1999; several values of a column are alternatives"
    )
    add_several(parser, "--where", "COLUMN=VALUE", about)


def read_filed(options: argparse.Namespace, paths: Sequence[str]) -> FiledLines:
    """All files, with what is known of them; what is odd about that goes to standard error.

    Raises
    ------
    InputError : a file or the table cannot be read, or two files have one name.
    """
    different_names(paths)
    wanted = _wanted_columns(options)
    lines: list[str] = []
    parts: list[FilePart] = []
    for path in paths:
        own, of_file = read_parts(path, options.encoding, options.column, wanted)
        lines += own
        parts += of_file
    return FiledLines(lines, _described(options, parts))


def _wanted_columns(options: argparse.Namespace) -> set[str]:
    """Columns of tables whose values make parts."""
    given = (condition for name in ("where", "against_where") for condition in parse_where(getattr(options, name, ())))
    return {*given, *options.split, getattr(options, "by", "")}


def _described(options: argparse.Namespace, parts: Sequence[FilePart]) -> CorpusFiles:
    require_split(options.split, parts)
    table = read_metadata(options.meta) if options.meta else None
    files, odd = described(filed(parts), table, options.name_pattern)
    for error in odd:
        # Names that follow no pattern are only odd to somebody who gave one.
        if error.code != "files.unnamed" or options.name_pattern:
            sys.stderr.write(f"{error.text(locale_language())}\n")
    return files


def read_chosen(options: argparse.Namespace, paths: Sequence[str]) -> FiledLines:
    """Those of the files that `--where` chooses, all without it; raises as `read_filed` does."""
    corpus = read_filed(options, paths)
    return corpus.part(corpus.files.choose(parse_where(options.where)))


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--dask` and `--work`."""
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="read the files block by block on the workers of a Dask scheduler, or on local:N processes, with the same "
        "result",
    )
    parser.add_argument(
        "--work", metavar="FOLDER", help="read them block by block and keep the results there, to go on after a stop"
    )


@contextmanager
def workers_of(options: argparse.Namespace) -> Iterator[BlockWorkers]:
    """The workers of `--dask`, or threads, with a bar on a terminal; InputError as `block_workers`."""
    try:
        with block_workers(options.dask, options.work, partial(_show, time.monotonic())) as workers:
            try:
                yield workers
            except InputError:
                sys.stderr.write("\n" * sys.stderr.isatty())  # after the bar
                raise
    except KeyboardInterrupt:
        kept = f"the same command goes on from {options.work}" if options.work else "nothing was stored"
        raise KeyboardInterrupt(f"\nstopped; {kept}") from None


def _show(began: float, what: str, done: int, of: int, unit: str) -> None:
    if not sys.stderr.isatty():
        return
    mb, of_mb, rate = done / 1e6, of / 1e6, done / 1e6 / (time.monotonic() - began)
    about = f"{mb:,.1f} of {of_mb:,.1f} MB, {rate:,.1f} MB/s" if unit == "bytes" else f"{done:,} of {of:,} files"
    show_progress(what, done, of, about)
    if done == of:
        sys.stderr.write("\n")


def read_blocks(options: argparse.Namespace, workers: BlockWorkers, paths: Sequence[str]) -> BlockCorpus:
    """`read_filed`, in blocks."""
    different_names(paths)
    blocks = workers.read(paths, options.column, options.encoding, sorted(_wanted_columns(options)))
    parts, numbers = file_parts(blocks)
    return BlockCorpus(blocks, _described(options, parts), numbers)


def add_analyser_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--user-dictionary` and `--correct`."""
    parser.add_argument(
        "--user-dictionary",
        metavar="FILE",
        help="words that the analyser's dictionary lacks: form, tag and, if needed, Kiwi's score or MeCab's cost; two "
        "or three columns separated by tabs or commas, where ␣ is a space",
    )
    parser.add_argument(
        "--correct",
        action="store_true",
        help=f"let {ANALYSERS[KIWI].name} read misspelled words and wrong spaces as correct ones (default: as written)",
    )


def analyser_settings(options: argparse.Namespace, analyser: str | None) -> AnalyserSettings:
    """The settings that the options give an analyser, a key of ANALYSERS.

    Raises
    ------
    InputError : no analyser is used, or MeCab is to correct; or the user dictionary is refused.
    """
    if (options.user_dictionary or options.correct) and analyser not in ANALYSERS:
        raise InputError("user_dictionary.unused", programs=", ".join(ANALYSERS))
    if options.correct and analyser != KIWI:
        raise InputError("analyser.correct", program=ANALYSERS[KIWI].name)
    if analyser is None or options.user_dictionary is None:
        return AnalyserSettings(corrects=options.correct)
    tags = ANALYSERS[analyser].user_tags
    return AnalyserSettings(read_user_dictionary(options.user_dictionary, tags), options.correct)
