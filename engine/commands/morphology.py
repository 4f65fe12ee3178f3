"""Compare token boundaries with morpheme boundaries: every model on a gold file, or on MeCab's analysis of a text.

A gold file has one eojeol per line (surface, tab, morphemes joined by +) or is CoNLL-U. With --gold mecab or kiwi an
analyser segments the text and makes mistakes: silver, and labelled so. Intervals are 95 % bootstrap intervals over
sentences. The best models are those that tie with the highest F1: paired differences, with Holm's correction over the
models. On one sentence nothing is best.
"""

import argparse
from functools import partial
from typing import Any

from engine.commands.corpus_options import add_analyser_arguments, add_reading_arguments, analyser_settings, read_text
from engine.commands.options import add_model_argument, add_option, read_model
from engine.commands.output import Result
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.measure.morphemes.analysis import LEAST_ALIGNED, Analysis
from engine.measure.morphemes.morphology import OF_EOJEOLS
from engine.measure.morphemes.morphology_table import morphology_rows, read_analysis
from engine.report.figures import morphology_figure

_PROGRAMS = ", ".join(ANALYSERS)
_COLUMNS = (
    "model",
    "gold",
    "silver",
    "eojeols",
    "aligned",
    "fertility",
    "precision",
    "recall",
    "f1",
    "f1_low",
    "f1_high",
    *OF_EOJEOLS,
    "best",
)
_MOST_NAMED = 8  # eojeols that could not be aligned, in a sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser, several=True)
    parser.add_argument(
        "--gold",
        required=True,
        metavar="FILE",
        help=f"eojeols with their morphemes (two columns, or .conllu); or a program that finds them: {_PROGRAMS}",
    )
    parser.add_argument("--text", metavar="FILE", help="text that the program analyses")
    add_reading_arguments(parser)
    add_analyser_arguments(parser)
    add_option(parser, "--seed", 0, "seed of the bootstrap", metavar="S")


def run(options: argparse.Namespace) -> Result:
    """The table and its figure."""
    text = None if options.text is None else read_text(options, options.text)
    analysis = read_analysis(options.gold, text, partial(analyser_settings, options))
    models = [(model, read_model(options, model)) for model in options.model]
    rows = morphology_rows(models, analysis, options.text or options.gold, text is not None, options.seed)
    return Result(_COLUMNS, rows, _notes(rows, analysis), best="f1", figure=lambda: morphology_figure(rows))


def _notes(rows: list[dict[str, Any]], analysis: Analysis) -> list[str]:
    lines = []
    if rows[0]["silver"]:
        lines.append(f"silver: the morphemes are those of {ANALYSERS[rows[0]['tags_of']].title}, not a person's")
    else:
        lines.append(f"parts of speech of: {analysis.tags_of or 'nobody, so there is no morph_score'}")
    if analysis.unaligned:
        often = ", ".join(f"{one.surface} ({one.morphemes}) {one.times:,}" for one in analysis.unaligned[:_MOST_NAMED])
        lines.append(
            f"eojeols that could not be aligned: {rows[0]['unaligned_eojeols']:,} in the text, "
            f"{len(analysis.unaligned):,} distinct; most often {often}"
        )
        share = f"aligned: {analysis.share_aligned:.1%} of the eojeols"
        if not analysis.has_verdict:
            share += (
                f"; below {LEAST_ALIGNED:.0%}, no model is called best: those that are left over are no sample of all"
            )
        lines.append(share)
    lines.append(
        "of boundaries inside aligned eojeols, all together; interval: 95 % bootstrap over sentences; best: ties "
        "with the highest F1 (paired difference, Holm's correction); --json has the others, parts of speech, "
        "frequencies and what could not be aligned"
    )
    return lines
