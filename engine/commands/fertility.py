"""Count tokens per word: every model on every text, or on the texts that share a register, a year, a speaker.

Texts are encoded line by line, never word by word. Intervals are 95 % bootstrap intervals over lines. The best models
on a text are those that tie with the fewest tokens: paired differences, with Holm's correction over the table. On one
line nothing is best.
"""

import argparse

from engine.commands.corpus_options import (
    WORD_CHOICES,
    add_corpus_arguments,
    add_worker_arguments,
    read_blocks,
    workers_of,
)
from engine.commands.options import add_model_argument, add_option, add_several, read_model
from engine.commands.output import Result
from engine.corpus.files import FILE, parse_where
from engine.measure.fertility_table import COLUMNS, counted_rows
from engine.measure.words import AUTO
from engine.model_files import model_source
from engine.report.figures import fertility_figure
from engine.scale.analyses import count_texts


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
    add_worker_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    """The table and its figure."""
    models = [(path, read_model(options, path)) for path in options.model]
    sources = [model_source(path, options.pattern) for path in options.model]
    with workers_of(options) as workers:
        corpus = read_blocks(options, workers, options.text)
        chosen = corpus.files.choose(parse_where(options.where))
        by_value = corpus.files.part(chosen).by(options.by)
        texts = {value: [chosen[i] for i in own] for value, own in by_value.items()}
        definitions, counts = count_texts(workers, corpus, texts, sources, options.words)
    rows = counted_rows(models, definitions, counts, options.seed)
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
