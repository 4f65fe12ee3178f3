"""Set what the sources print beside what was measured: every claim with its verdict.

The measured figures are stored, not recomputed. The page Papers shows the same.
"""

import argparse
import json
import sys

from engine.commands.output import latex_rows
from engine.error_texts import locale_language
from engine.evidence.claims import CLAIM_SIZES, PAPER_SIZE, SOURCES, VERDICTS, usual_size
from engine.evidence.show import counts, document, rows, text

_COLUMNS = ("source", "place", "verdict", "printed", "ours", "says", "why")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument(
        "--source",
        nargs="+",
        action="extend",
        choices=SOURCES,
        metavar="NAME",
        help=f"one or more of: {', '.join(SOURCES)} (default: all)",
    )
    parser.add_argument(
        "--size",
        type=int,
        choices=CLAIM_SIZES,
        help=f"size of our vocabularies where there are several (default: {PAPER_SIZE}, the paper's, and of our own "
        f"findings {usual_size('beyond')})",
    )
    parser.add_argument("--markdown", action="store_true", help="print docs/papers.md")


def run(options: argparse.Namespace) -> None:
    """Print the claims."""
    sources = tuple(dict.fromkeys(options.source or SOURCES))
    language = locale_language()
    if options.json:
        found = list(rows(sources, options.size, language))
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    elif options.latex:
        sys.stdout.write(latex_rows(_COLUMNS, rows(sources, options.size, language, as_text=True)))
    elif options.markdown:
        sys.stdout.write(document(options.size))
    else:
        sys.stdout.write("\n".join(_lines(sources, options.size, language)) + "\n")


def _lines(sources: tuple[str, ...], size: int | None, language: str) -> list[str]:
    lines = ["\t".join(_COLUMNS)]
    for row in rows(sources, size, language, as_text=True):
        lines.append("\t".join(str(row[name]) or "-" for name in _COLUMNS))
    for source in sources:
        number = counts(source, size)
        summary = ", ".join(f"{number[name]} {text(f'column.{name}', language)}" for name in (*VERDICTS, "slip"))
        lines.append(f"# {text(f'source.{source}', language)}: {summary}")
    return lines
