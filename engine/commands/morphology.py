"""Compare token boundaries with morpheme boundaries: every model on a gold file, or on MeCab's analysis of a text.

A gold file has one eojeol per line (surface, tab, morphemes joined by +) or is CoNLL-U. With --gold mecab or kiwi an
analyser segments the text and makes mistakes: silver, and labelled so. Intervals are 95 % bootstrap intervals over
sentences. The best models are those that tie with the highest F1: paired differences, with Holm's correction over the
models. On one sentence nothing is best.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from engine.commands.analyser_argument import add_analyser_arguments, analyser_settings
from engine.commands.model_argument import add_model_argument, read_model
from engine.commands.table import table_lines
from engine.corpus.morphemes.analysers import ANALYSERS
from engine.corpus.reading.read import read_corpus
from engine.errors import InputError
from engine.measure.best import ties_with_best
from engine.measure.morphemes.analysis import Analysis, silver_analysis, tagged_analysis, tags_source
from engine.measure.morphemes.gold import read_gold
from engine.measure.morphemes.morphology import MorphologyScores, morphology_scores
from engine.measure.result import Measure
from engine.tokenizer import Tokenizer

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
    "clean",
    "exact",
    "morph_score",
    "preservation",
    "over_segmentation",
    "under_segmentation",
    "best",
)
_MOST_EXAMPLES, _MOST_NAMED = 20, 8  # eojeols that could not be aligned: in JSON, and in a sentence


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
    parser.add_argument("--column", metavar="NAME", help="column of the text, where FILE is a table of several")
    add_analyser_arguments(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap (default: %(default)s)")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    if (options.gold in ANALYSERS) != (options.text is not None):
        raise InputError("morphology.text", programs=_PROGRAMS)
    if options.text is not None:
        settings = analyser_settings(options, options.gold)
        analysis = silver_analysis(read_corpus(options.text, column=options.column), options.gold, settings)
    else:
        sentences = read_gold(options.gold)
        analysis = tagged_analysis(sentences, source := tags_source(sentences), analyser_settings(options, source))
    gold, silver = options.text or options.gold, options.text is not None
    rows, sums = [], []
    for model in options.model:
        tokenizer = read_model(options, model)
        scores = morphology_scores(tokenizer, analysis, options.seed)
        rows.append(_row(model, gold, tokenizer, scores, analysis, silver))
        sums.append(scores.f1_sums)
    for row, against in zip(rows, ties_with_best([sums], seed=options.seed)[0], strict=True):
        row.update(against.fields())
    sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _table(rows, analysis))


def _row(
    model: str, gold: str, tokenizer: Tokenizer, scores: MorphologyScores, analysis: Analysis, silver: bool
) -> dict[str, Any]:
    """One model as the command prints it; None for values that cannot be measured."""
    return {
        "model": model,
        "gold": gold,
        "silver": silver,
        "algorithm": tokenizer.name,
        "vocab_size": tokenizer.vocab_size,
        "sentences": len(analysis.lines),
        "eojeols": scores.n_words,
        "aligned": scores.n_aligned,
        "fused_boundaries": scores.n_fused,
        **_values({"fertility": scores.fertility, **scores.measures}),
        "by_frequency": [
            {"frequency": name, "eojeols": measures["clean"].n, **_values(measures)}
            for name, measures in scores.by_frequency.items()
        ],
        "tags_of": analysis.tags_of,
        "by_tag": [
            {
                "tag": tag.tag,
                "pieces": tag.whole.n,
                "boundaries": tag.found.n,
                **_values({"whole": tag.whole, "cut": tag.cut, "found": tag.found}),
            }
            for tag in scores.by_tag
        ],
        "unaligned": len(analysis.unaligned),
        "unaligned_eojeols": scores.n_words - scores.n_aligned,
        "unaligned_examples": [[one.surface, one.morphemes] for one in analysis.unaligned[:_MOST_EXAMPLES]],
        "unaligned_counts": [one.times for one in analysis.unaligned[:_MOST_EXAMPLES]],
    }


def _values(measures: Mapping[str, Measure]) -> dict[str, float | None]:
    """Each measure with the ends of its interval."""
    values: dict[str, float | None] = {}
    for name, measure in measures.items():
        low, high = measure.interval or (None, None)
        known = measure.value == measure.value
        values |= {name: measure.value if known else None, f"{name}_low": low, f"{name}_high": high}
    return values


def _table(rows: list[dict[str, Any]], analysis: Analysis) -> str:
    lines = table_lines(_COLUMNS, rows)
    if rows[0]["silver"]:
        lines.append(f"# silver: the morphemes are those of {ANALYSERS[rows[0]['tags_of']].title}, not a person's")
    else:
        lines.append(f"# parts of speech of: {analysis.tags_of or 'nobody, so there is no morph_score'}")
    if analysis.unaligned:
        often = ", ".join(f"{one.surface} ({one.morphemes}) {one.times:,}" for one in analysis.unaligned[:_MOST_NAMED])
        lines.append(
            f"# eojeols that could not be aligned: {rows[0]['unaligned_eojeols']:,} in the text, "
            f"{len(analysis.unaligned):,} distinct; most often {often}"
        )
    lines.append(
        "# of boundaries inside aligned eojeols, all together; interval: 95 % bootstrap over sentences; best: ties "
        "with the highest F1 (paired difference, Holm's correction); --json has the others, parts of speech, "
        "frequencies and what could not be aligned"
    )
    return "\n".join(lines) + "\n"
