"""List the places of a query, a text or a token, one per line with what is left and right of it.

A query is a subset of CQL over tokens, morphemes and words: '[tag="NNG"] [form="을|를"]' (docs/query.md). It matches
inside a line; for every beginning the longest match counts, and matches do not overlap.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.commands.corpus_options import WORD_CHOICES, add_files_argument, read_chosen
from engine.commands.options import add_model_argument, add_option, note_vain, read_model, seconds, whole_number
from engine.commands.output import Result
from engine.corpus.files import CorpusFiles
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.corpus.normalize import composed, normalize
from engine.errors import InputError
from engine.measure.layers import MORPHEMES, TOKENS, WORDS, Spans
from engine.measure.words import AUTO
from engine.pictures.showable import showable
from engine.query.build import searched_text
from engine.query.near import text_spans, unit_query
from engine.query.parse import parse_query
from engine.query.syntax import QueryError
from engine.query.text import QUERY_SECONDS, SearchedText
from engine.tokenizer import Tokenizer

_COLUMNS = ("file", "line", "left", "match", "right")
_HEX = "hex_tokens"  # bytes of a cut character as <0xEC>


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--query", metavar="QUERY", help="a query over tokens, morphemes and words")
    wanted.add_argument("--text", metavar="TEXT", help="a text, however it is tokenized")
    wanted.add_argument("--token", metavar="TOKEN", help="a token, its spaces written as ␣")
    add_query_arguments(parser)
    add_files_argument(parser)
    add_option(parser, "--context", 40, "characters on either side", type=whole_number(), metavar="N")
    parser.add_argument("--limit", type=whole_number(), metavar="N", help="print the first N places only")


def run(options: argparse.Namespace) -> Result:
    """The places."""
    with pointing_at_query():
        query = parse_query(options.query) if options.query is not None else None
    if options.text == "":
        raise InputError("query.empty")
    tokenizer = read_model(options)
    corpus = read_chosen(options, options.files)
    text, found = _search(options, tokenizer, corpus.lines, query.layers if query else [])
    rows = _rows(options, text, found, corpus.files)
    note = f"{len(found.line):,} places in {len(set(found.line.tolist())):,} of {len(text.lines):,} lines"
    return Result(_COLUMNS, rows, [note])


def _search(
    options: argparse.Namespace, tokenizer: Tokenizer, lines: list[str], layers: list[str]
) -> tuple[SearchedText, Spans]:
    text = read_layers(options, tokenizer, lines, layers)
    if options.text is not None:
        return text, text_spans(text.lines, normalize(composed(options.text), tokenizer.normalization))
    with pointing_at_query():
        query = unit_query(options.token, TOKENS) if options.query is None else parse_query(options.query)
        return text, text.find(query, options.query_seconds)


def _rows(options: argparse.Namespace, text: SearchedText, found: Spans, files: CorpusFiles) -> list[dict[str, Any]]:
    places, lines = files.places(found.line)
    rows: list[dict[str, Any]] = []
    number, data, reach = -1, b"", 4 * options.context + 3  # bytes that have so many characters
    for k, (line, begin, end) in enumerate(zip(*(values[: options.limit].tolist() for values in found), strict=True)):
        if line != number:
            number, data = line, text.lines[line].encode("utf-8", "replace")
        parts = (data[max(0, begin - reach) : begin], data[begin:end], data[end : end + reach])
        left, match, right = (part.decode(errors=_HEX) for part in parts)
        left, right = left[max(0, len(left) - options.context) :], right[: options.context]
        said = [showable(one) for one in (left, match, right)]
        rows.append(dict(zip(_COLUMNS, [files.names[places[k]], int(lines[k]) + 1, *said], strict=True)))
    return rows


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--analyser`, `--words` and `--query-seconds`."""
    parser.add_argument(
        "--analyser", choices=list(ANALYSERS), help="finds the morphemes (default: the first that is installed)"
    )
    add_option(
        parser, "--words", AUTO, "what a word is: by the script of the text, or one of these", choices=WORD_CHOICES
    )
    add_option(parser, "--query-seconds", QUERY_SECONDS, "seconds that the query may take", type=seconds, metavar="S")


def read_layers(options: argparse.Namespace, tokenizer: Tokenizer, lines: list[str], layers: list[str]) -> SearchedText:
    """These layers of the lines; an option of another layer is named on standard error."""
    for layer, option in ((MORPHEMES, "--analyser"), (WORDS, "--words")):
        if layer not in layers:
            note_vain(options, f"without {layer}", option)
    return searched_text(tokenizer, lines, layers, options.analyser, options.words)


@contextmanager
def pointing_at_query() -> Iterator[None]:
    """Print a wrong query with a caret under the place, on standard error, before its message."""
    try:
        yield
    except InputError as error:
        if isinstance(error, QueryError):
            sys.stderr.write(f"{error.pointed}\n")
        raise
