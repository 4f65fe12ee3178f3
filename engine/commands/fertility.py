"""Count tokens per word: every model on every text, or on the texts that share a register, a year, a speaker.

Texts are encoded line by line, never word by word. Intervals are 95 % bootstrap intervals over lines. The best models
on a text are those that tie with the fewest tokens: paired differences, with Holm's correction over the table. On one
line nothing is best.
"""

import argparse
import json
import math
import sys

import numpy as np

from engine.commands.corpus_arguments import add_corpus_arguments, chosen_files, read_filed
from engine.commands.model_argument import add_model_argument, read_model
from engine.commands.table import table_lines
from engine.corpus.files import FILE
from engine.measure.best import ties_with_best
from engine.measure.encoded import encode_lines
from engine.measure.intrinsic import continued_words, fertility, floor, multi_word_tokens, units_per_token
from engine.measure.words import AUTO, DEFINITIONS, definition_of, find_words
from engine.tokenizer import Tokenizer

_COLUMNS = (
    "model",
    "file",
    "algorithm",
    "vocab_size",
    "lines",
    "words",
    "tokens",
    "fertility",
    "fertility_low",
    "fertility_high",
    "continued_words",
    "multi_word_tokens",
    "characters_per_token",
    "bytes_per_token",
    "floor",
    "above_floor",
)
_LAST_COLUMN = "best"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser, several=True)
    parser.add_argument(
        "--text", nargs="+", action="extend", required=True, metavar="FILE", help="text files or tables; one or more"
    )
    add_corpus_arguments(parser)
    parser.add_argument(
        "--by", default=FILE, metavar="COLUMN", help="files with one value in it are a text (default: %(default)s)"
    )
    parser.add_argument(
        "--words",
        choices=[AUTO, *(name for name in DEFINITIONS if name != "own")],
        default=AUTO,
        help="what a word is; by the script of each text: characters where it has no spaces, else eojeol, the "
        "white-space unit (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap (default: %(default)s)")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    corpus = read_filed(options, options.text)
    corpus = corpus.part(chosen_files(options, corpus.files))
    texts = corpus.by(options.by)
    models = {path: read_model(options, path) for path in options.model}
    definitions = {file: definition_of(lines, options.words) for file, lines in texts.items()}
    found = {
        (model, file): _measured(model, file, tokenizer, lines, definitions[file], options.seed)
        for model, tokenizer in models.items()
        for file, lines in texts.items()
    }
    compared = ties_with_best([[found[model, file][1] for model in models] for file in texts], True, options.seed)
    for file, of_file in zip(texts, compared, strict=True):
        for model, against in zip(models, of_file, strict=True):
            found[model, file][0].update(against.fields())
    rows = [row for row, _ in found.values()]
    sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _table(rows))


def _measured(
    model: str, file: str, tokenizer: Tokenizer, lines: list[str], definition: str, seed: int
) -> tuple[dict[str, object], np.ndarray]:
    """One model on one text; None for values that cannot be measured (no words, one line).

    Also returns int64[n_lines, 2], tokens and words of each line.
    """
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
    return {**row, "word_definition": DEFINITIONS[definition]}, np.column_stack([encoded.per_line, words.per_line])


def _table(rows: list[dict[str, object]]) -> str:
    columns = (*_COLUMNS, _LAST_COLUMN)
    lines = table_lines(columns, rows)
    definitions: dict[object, list[str]] = {}
    for file, definition in {str(row["file"]): row["word_definition"] for row in rows}.items():
        definitions.setdefault(definition, []).append(file)
    for definition, files in definitions.items():
        lines.append(f"# word: {definition}" + (f" ({', '.join(files)})" if len(definitions) > 1 else ""))
    lines.append(
        "# fertility: tokens of the full text / words, interval: 95 % bootstrap over lines; floor: the fewest tokens "
        "that the vocabulary allows / words, above_floor: the share beyond it; best: ties with the fewest tokens "
        "(paired difference, Holm's correction over the table; none on a single line)"
    )
    return "\n".join(lines) + "\n"
