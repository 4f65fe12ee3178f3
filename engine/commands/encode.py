"""Encode text, or read ids: a line out for each line in, tokens separated by |.

With --json one JSON line each: ids, tokens, spans (byte offsets; of ids, the text instead), and `unsupported` where
parts of the model's file are not.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from engine.commands.corpus_options import add_encoding_argument, workers_of
from engine.commands.options import add_model_argument, add_option, read_model, whole_number
from engine.commands.output import with_unsupported, write_out_figure
from engine.corpus.normalize import text_of_spans
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import decode_bytes
from engine.errors import InputError
from engine.machine.atomic_file import STDIN, check_writable, read_file
from engine.machine.threads import usable_threads
from engine.model_files import model_source
from engine.report.figure import Figure
from engine.scale.analyses import lines_file, write_ids
from engine.tokenizer import Encoding, Tokenizer, require_probabilities
from engine.vocabulary.ids import read_ids

_AT_ONCE = 10_000  # lines, at most
_BACKGROUNDS = (153, 223, 157, 219)  # of the 256 colours of terminals: light, for black letters


class _EncodedLine(NamedTuple):
    """The tokens of a line; `values` are what JSON has beside them, `text` ends at a whole character."""

    ids: list[int]
    values: dict[str, Any]
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--allow-special", action="store_true", help="let a special token's text become that token")
    add_option(
        parser,
        "--encode",
        "probable",
        "the most probable segmentation, or of a model with probabilities the one with the fewest tokens, ties to the "
        "latest start, where special tokens stay text",
        choices=("probable", "fewest"),
    )
    parser.add_argument("--ids", action="store_true", help="the lines are ids, separated by spaces or commas")
    parser.add_argument("--first", type=whole_number(1), metavar="N", help="stop after N tokens of the whole text")
    about = (
        "tokens separated by |; their text, as far as the last whole character; or tokens on alternating colours "
        "with a count (in a terminal and without NO_COLOR; else separated by |)"
    )
    add_option(parser, "--show", "tokens", about, choices=("tokens", "text", "strip"))
    parser.add_argument(
        "--output",
        metavar="IDS.npy",
        help="write the ids of FILE, of any size, as a NumPy array instead, and where its lines end to IDS.lines.npy",
    )
    parser.set_defaults(dask=None, work=None)
    add_encoding_argument(parser)
    about = "text, one line each (default: standard input)"
    parser.add_argument("file", nargs="?", default=STDIN, metavar="FILE", help=about)


def run(options: argparse.Namespace) -> None:
    """Encode every line, and write the strips of tokens."""
    tokenizer = read_model(options)
    if options.output is not None:
        changes = (options.allow_special, options.encode != "probable", options.first, options.show != "tokens")
        if options.file == STDIN or options.ids or options.json or options.figure or any(changes):
            raise InputError("encode.output")
        check_writable(lines_file(options.output))
        with workers_of(options) as workers:
            blocks = workers.read([options.file], None, options.encoding, ())
            write_ids(workers, blocks, model_source(options.model, options.pattern), options.output)
        return
    data = read_file(options.file)
    lines = split_lines(decode_bytes(data, options.encoding)[0])
    is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    count, drawn = 0, []
    for line in _lines(tokenizer, lines, options):
        count += len(line.ids)
        drawn += [line.ids] if options.figure else []
        labels = [tokenizer.token_label(token_id) for token_id in line.ids]
        if options.json:
            fields = with_unsupported(options, {"ids": line.ids, "tokens": labels, **line.values})
            sys.stdout.write(json.dumps(fields, ensure_ascii=False) + "\n")
        elif options.show == "strip":
            sys.stdout.write(f"{_strip(labels, is_coloured)}  {len(labels):,}\n")
        else:
            sys.stdout.write((line.text if options.show == "text" else "|".join(labels)) + "\n")
    if options.show == "strip" and not options.json:
        sys.stdout.write(f"# tokens: {count:,}\n")
    write_out_figure(options, lambda: _figure(options.model, tokenizer, drawn))


def _figure(name: str, tokenizer: Tokenizer, lines: list[list[int]]) -> Figure:
    from engine.report.figures import strip_figure  # what draws takes longer to load than a line to encode

    return strip_figure({name: tokenizer}, lines)


def _encodings(tokenizer: Tokenizer, lines: list[str], options: argparse.Namespace) -> Iterator[Encoding]:
    """Every line as `encode` has it, one at first and then more and more at once."""
    if options.encode == "fewest" or options.allow_special:
        for line in lines:
            yield _fewest(tokenizer, line) if options.encode == "fewest" else tokenizer.encode(line, allow_special=True)
        return
    first, n = 0, 1
    while first < len(lines):
        some = lines[first : first + n]
        first, n = first + n, min(2 * n, _AT_ONCE)
        try:
            batch = tokenizer.encode_lines(some, usable_threads())
        except InputError:
            yield from map(tokenizer.encode, some)  # up to the line that is refused
            continue
        ids, ends = batch.ids.tolist(), [0, *np.cumsum(batch.size).tolist()]
        for begin, end in pairwise(batch.line_ptr.tolist()):
            stops = [stop - ends[begin] for stop in ends[begin : end + 1]]
            yield Encoding(ids[begin:end], list(pairwise(stops)))


def _lines(tokenizer: Tokenizer, lines: list[str], options: argparse.Namespace) -> Iterator[_EncodedLine]:
    """The lines as tokens, up to the first N tokens."""
    left = options.first
    encodings = _encodings(tokenizer, [] if options.ids else lines, options)
    for number, line in enumerate(lines, start=1):
        if options.ids:
            found = _ids_line(tokenizer, line, number, left)
        else:
            found = _text_line(tokenizer, line, next(encodings), left)
        yield found
        if left is not None:
            left -= len(found.ids)
            if not left:
                return


def _text_line(tokenizer: Tokenizer, line: str, encoding: Encoding, most: int | None) -> _EncodedLine:
    ids, spans = encoding.ids[:most], encoding.spans[:most]
    data = text_of_spans(line, tokenizer.normalization).encode()
    return _EncodedLine(ids, {"spans": spans}, data[: spans[-1][1] if spans else 0].decode(errors="ignore"))


def _fewest(tokenizer: Tokenizer, line: str) -> Encoding:
    """The segmentation with the fewest tokens."""
    lattice = require_probabilities(tokenizer).lattice(line)
    ids: list[int] = []
    spans: list[tuple[int, int]] = []
    for arc in lattice.fewest_from_latest():
        written, (begin, end) = lattice.written(arc), lattice.span(arc)
        sizes = accumulate(len(tokenizer.token_bytes(token_id)) for token_id in written[:-1])
        stops = [*(min(begin + size, end) for size in sizes), end]
        ids += written
        spans += pairwise([begin, *stops])
    return Encoding(ids, spans)


def _ids_line(tokenizer: Tokenizer, line: str, number: int, most: int | None) -> _EncodedLine:
    try:
        ids = read_ids(line, tokenizer.vocab_size)[:most]
    except InputError as error:
        raise InputError("ids.line", number=number, problem=error) from None
    text = tokenizer.decode(ids)
    return _EncodedLine(ids, {"text": text}, text)


def _strip(labels: list[str], is_coloured: bool) -> str:
    """Tokens on alternating backgrounds. Control characters are escaped: they could move the terminal's cursor."""
    shown = ["".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in label) for label in labels]
    if not is_coloured:
        return "|".join(shown)
    colours = (_BACKGROUNDS[k % len(_BACKGROUNDS)] for k in range(len(shown)))
    return "".join(f"\x1b[30;48;5;{colour}m{label}\x1b[0m" for colour, label in zip(colours, shown, strict=True))
