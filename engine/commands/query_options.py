"""The options of commands that search, and how they report a wrong query."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.commands.corpus_options import WORD_CHOICES
from engine.commands.options import add_option, seconds
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.errors import InputError
from engine.measure.words import AUTO
from engine.query.syntax import QueryError
from engine.query.text import QUERY_SECONDS


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--analyser`, `--words` and `--query-seconds`."""
    parser.add_argument(
        "--analyser", choices=list(ANALYSERS), help="finds the morphemes (default: the first that is installed)"
    )
    add_option(
        parser, "--words", AUTO, "what a word is: by the script of the text, or one of these", choices=WORD_CHOICES
    )
    add_option(parser, "--query-seconds", QUERY_SECONDS, "seconds that the query may take", type=seconds, metavar="S")


@contextmanager
def pointing_at_query() -> Iterator[None]:
    """Print a wrong query with a caret under the place, on standard error, before its message."""
    try:
        yield
    except InputError as error:
        if isinstance(error, QueryError):
            sys.stderr.write(f"{error.pointed}\n")
        raise
