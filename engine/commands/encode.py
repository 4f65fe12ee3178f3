"""Encode text: a line out for each line in, tokens separated by |.

With --json one JSON line each: ids, tokens, spans (byte offsets).
"""

import argparse
import json
import sys

from engine.commands.model_argument import add_model_argument, read_model
from engine.corpus.normalize import normalize_given
from engine.corpus.reading.lines import split_lines
from engine.corpus.reading.read import decode_bytes
from engine.machine.atomic_file import read_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--allow-special", action="store_true", help="let a special token's text become that token")
    parser.add_argument("file", nargs="?", metavar="FILE", help="text, one line each (default: standard input)")


def run(options: argparse.Namespace) -> None:
    """Encode every line."""
    tokenizer = read_model(options)
    data = read_file(options.file) if options.file is not None else sys.stdin.buffer.read()
    for number, line in enumerate(split_lines(decode_bytes(data)[0]), start=1):
        normalize_given(line, tokenizer.normalization, number)  # so that an error names the line of the file
        encoding = tokenizer.encode(line, allow_special=options.allow_special)
        labels = [tokenizer.token_label(token_id) for token_id in encoding.ids]
        if options.json:
            row = {"ids": encoding.ids, "tokens": labels, "spans": encoding.spans}
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write("|".join(labels) + "\n")
