"""Count tokens per word: every model on every text.

Texts are encoded line by line, never word by word. Intervals are 95 % bootstrap intervals over lines.
"""

import argparse
import json
import math
import sys

from engine.commands.model_argument import add_model_argument, read_model
from engine.corpus.read import read_corpus
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import continued_words, fertility, floor, multi_word_tokens, units_per_token
from engine.measure.words import DEFINITIONS, find_words
from engine.tokenizer import Tokenizer

_COLUMNS = (
    "model", "file", "algorithm", "vocab_size", "lines", "words", "tokens", "fertility", "fertility_low",
    "fertility_high", "continued_words", "multi_word_tokens", "characters_per_token", "bytes_per_token",
    "floor", "above_floor",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser, several=True)
    parser.add_argument(
        "--text", nargs="+", action="extend", required=True, metavar="FILE", help="text files or tables; one or more"
    )
    parser.add_argument("--column", metavar="NAME", help="column of the text, where FILE is a table of several")
    parser.add_argument(
        "--words",
        choices=[name for name in DEFINITIONS if name != "own"],
        default="eojeol",
        help="what a word is; characters for scripts without spaces (default: %(default)s, the white-space unit)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap (default: %(default)s)")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    texts = {path: read_corpus(path, column=options.column) for path in options.text}
    models = {path: read_model(options, path) for path in options.model}
    rows = [
        fertility_row(model, file, tokenizer, lines, options.words, options.seed)
        for model, tokenizer in models.items()
        for file, lines in texts.items()
    ]
    sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _table(rows, options.words))


def fertility_row(
    model: str, file: str, tokenizer: Tokenizer, lines: list[str], definition: str, seed: int = 0
) -> dict[str, object]:
    """One model on one text as the command prints it; None for what cannot be measured (no words, one line)."""
    encoded = encode_lines(tokenizer, lines)
    words = find_words(encoded.seen, definition)
    measure = fertility(encoded, words, seed)
    low, high = measure.interval or (math.nan, math.nan)
    least = floor(encoded, words, seed)
    values: tuple[object, ...] = (
        model,
        file,
        tokenizer.name,
        tokenizer.vocab_size,
        len(lines),
        measure.n,
        encoded.n_tokens,
        measure.value,
        low,
        high,
        continued_words(encoded, words, seed).value,
        multi_word_tokens(encoded, words, seed).value,
        units_per_token(encoded, "characters", seed).value,
        units_per_token(encoded, "bytes", seed).value,
        least.fertility.value if least else math.nan,
        least.above.value if least else math.nan,
    )
    row = {name: None if value != value else value for name, value in zip(_COLUMNS, values, strict=True)}
    return {**row, "word_definition": DEFINITIONS[definition]}


def _table(rows: list[dict[str, object]], definition: str) -> str:
    lines = ["\t".join(_COLUMNS)]
    lines += ["\t".join(_cell(row[name]) for name in _COLUMNS) for row in rows]
    lines.append(
        f"# word: {DEFINITIONS[definition]}; fertility: tokens of the full text / words, interval: 95 % bootstrap "
        "over lines; floor: the fewest tokens that the vocabulary allows / words, above_floor: the share beyond it"
    )
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
