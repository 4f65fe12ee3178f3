"""Vary Korean texts: what typing errors, wrong spaces and other ways of writing do to the tokens of every model.

Lines are varied and encoded as a whole. Intervals are 95 % bootstrap intervals over lines. The best models on a variant
are those that tie with the least share of changed cuts: the smaller the tokens, the less there is to change.
"""

import argparse

from engine.commands.corpus_options import add_corpus_arguments, read_chosen
from engine.commands.options import (
    add_model_argument,
    add_option,
    add_several,
    note_vain,
    read_model,
    share,
    whole_number,
)
from engine.commands.output import Result
from engine.corpus.files import FILE
from engine.measure.robustness import COLUMNS, robustness_rows
from engine.measure.variants import RATE, RATED, VARIANTS
from engine.report.figures import robustness_figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser, several=True)
    add_several(parser, "--text", "FILE", "text files or tables; one or more", required=True)
    add_corpus_arguments(parser)
    add_option(parser, "--by", FILE, "files with one value in it are a text", metavar="COLUMN")
    about = "how the text is varied (default: all)"
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS, metavar="NAME", help=about)
    about = "share of the eojeols with an error, in typing and wrong-spaces"
    add_option(parser, "--rate", RATE, about, type=share, metavar="R")
    add_option(parser, "--seed", 0, "seed of the errors and the bootstrap", type=whole_number(), metavar="S")


def run(options: argparse.Namespace) -> Result:
    """The table and its figure."""
    texts = read_chosen(options, options.text).by(options.by)
    if not set(RATED).intersection(options.variants):
        note_vain(options, f"without {' and '.join(RATED)}", "--rate")
    models = [(path, read_model(options, path)) for path in options.model]
    rows = robustness_rows(models, texts, options.variants, options.rate, options.seed)
    notes = [
        "added_per_character: (tokens of the variant - tokens) / characters of the original; changed_cuts: of the "
        "places cut in the original or the variant, the share that only one of them has; intervals: 95 % bootstrap "
        "over lines; best: ties with the least share of changed cuts (paired difference, Holm's correction over the "
        "table; none on a single line)"
    ]
    return Result((*COLUMNS, "best"), rows, notes, best="changed_cuts", figure=lambda: robustness_figure(rows))
