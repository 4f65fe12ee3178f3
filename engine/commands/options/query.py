"""The options of commands that find things in texts, and the place of an error in a query."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.commands.options.numbers import seconds
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.errors import InputError
from engine.measure.words import AUTO, DEFINITIONS
from engine.query.errors import QueryError
from engine.query.text import QUERY_SECONDS


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--analyser`, `--words` and `--query-seconds`."""
    parser.add_argument(
        "--analyser", choices=list(ANALYSERS), help="finds the morphemes (default: the first that is installed)"
    )
    parser.add_argument(
        "--words",
        choices=[AUTO, *(name for name in DEFINITIONS if name != "own")],
        default=AUTO,
        help="what a word is: by the script of the text, or one of these (default: %(default)s)",
    )
    parser.add_argument(
        "--query-seconds",
        type=seconds,
        default=QUERY_SECONDS,
        metavar="S",
        help="seconds that the query may take (default: %(default)g)",
    )


@contextmanager
def pointing_at_query() -> Iterator[None]:
    """Print a wrong query with a caret under the place, on standard error, before its message."""
    try:
        yield
    except InputError as error:
        if isinstance(error, QueryError):
            sys.stderr.write(f"{error.pointed}\n")
        raise
