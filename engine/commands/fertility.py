"""Count tokens per word: every model on every text, or on the texts that share a register, a year, a speaker.

Texts are encoded line by line, never word by word. Intervals are 95 % bootstrap intervals over lines. The best models
on a text are those that tie with the fewest tokens: paired differences, with Holm's correction over the table. On one
line nothing is best.
"""

import argparse

from engine.commands.corpus_options import WORD_CHOICES, add_corpus_arguments, read_chosen
from engine.commands.options import add_model_argument, add_option, add_several, read_model
from engine.commands.output import Result
from engine.corpus.files import FILE
from engine.measure.fertility_table import COLUMNS, fertility_rows
from engine.measure.words import AUTO
from engine.report.figures import fertility_figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser, several=True)
    add_several(parser, "--text", "FILE", "text files or tables; one or more", required=True)
    add_corpus_arguments(parser)
    add_option(parser, "--by", FILE, "files with one value in it are a text", metavar="COLUMN")
    about = (
        "what a word is; by the script of each text: characters where it has no spaces, else eojeol, the white-space "
        "unit"
    )
    add_option(parser, "--words", AUTO, about, choices=WORD_CHOICES)
    add_option(parser, "--seed", 0, "seed of the bootstrap", metavar="S")


def run(options: argparse.Namespace) -> Result:
    """The table and its figure."""
    texts = read_chosen(options, options.text).by(options.by)
    models = [(path, read_model(options, path)) for path in options.model]
    rows = fertility_rows(models, texts, options.words, options.seed)
    columns = (*COLUMNS, "best")
    return Result(columns, rows, _notes(rows), best="fertility", figure=lambda: fertility_figure(rows))


def _notes(rows: list[dict[str, object]]) -> list[str]:
    lines = []
    definitions: dict[object, list[str]] = {}
    for file, definition in {str(row["file"]): row["word_definition"] for row in rows}.items():
        definitions.setdefault(definition, []).append(file)
    for definition, files in definitions.items():
        lines.append(f"word: {definition}" + (f" ({', '.join(files)})" if len(definitions) > 1 else ""))
    lines.append(
        "fertility: tokens of the full text / words, interval: 95 % bootstrap over lines; floor: the fewest tokens "
        "that the vocabulary allows / words, above_floor: the share beyond it; best: ties with the fewest tokens "
        "(paired difference, Holm's correction over the table; none on a single line)"
    )
    return lines
