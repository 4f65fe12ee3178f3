"""Set what the sources print beside what was measured: every claim with its verdict.

The measured figures are stored, not recomputed. The page Papers shows the same.
"""

import argparse
import sys

from engine.commands.options import add_several
from engine.commands.output import Result
from engine.evidence.claims import CLAIM_SIZES, PAPER_SIZE, SOURCES, VERDICTS, usual_size
from engine.evidence.show import counts, document, rows, text
from engine.messages import locale_language

_COLUMNS = ("source", "place", "verdict", "printed", "ours", "says", "why")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_several(parser, "--source", "NAME", f"one or more of: {', '.join(SOURCES)} (default: all)", choices=SOURCES)
    parser.add_argument(
        "--size",
        type=int,
        choices=CLAIM_SIZES,
        help=f"size of our vocabularies where there are several (default: {PAPER_SIZE}, the paper's, and of our own "
        f"findings {usual_size('beyond')})",
    )
    parser.add_argument("--markdown", action="store_true", help="print docs/papers.md")


def run(options: argparse.Namespace) -> Result | None:
    """The claims."""
    sources = tuple(dict.fromkeys(options.source or SOURCES))
    language = locale_language()
    if options.markdown and not (options.json or options.latex):
        sys.stdout.write(document(options.size))
        return None
    return Result(
        _COLUMNS,
        list(rows(sources, options.size, language, as_text=True)),
        lines=[_summary(source, options.size, language) for source in sources],
        json=list(rows(sources, options.size, language)),
        texts=dict.fromkeys(_COLUMNS, lambda value: str(value) or "-"),
    )


def _summary(source: str, size: int | None, language: str) -> str:
    number = counts(source, size)
    verdicts = ", ".join(f"{number[name]} {text(f'column.{name}', language)}" for name in (*VERDICTS, "slip"))
    return f"# {text(f'source.{source}', language)}: {verdicts}"
