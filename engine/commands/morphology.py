"""Compare token boundaries with morpheme boundaries: every model on a gold file, or on MeCab's analysis of a text.

A gold file is one eojeol a line (surface, tab, morphemes joined by +) or CoNLL-U. With --gold mecab or kiwi a program
analyses the text and makes mistakes: silver, and labelled so. Intervals are 95 % bootstrap intervals over sentences.
"""

import argparse
import json
import sys
from collections.abc import Mapping

from engine.commands.model_argument import add_model_argument, read_model
from engine.corpus.analysers import ANALYSERS, MECAB
from engine.corpus.read import read_corpus
from engine.errors import InputError
from engine.measure.analysis import Analysis, gold_analysis, silver_analysis
from engine.measure.gold import read_gold
from engine.measure.morphology import morphology_scores
from engine.measure.result import Measure
from engine.tokenizer import Tokenizer

_PROGRAMS = ", ".join(ANALYSERS)
_COLUMNS = (
    "model", "gold", "silver", "eojeols", "aligned", "fertility", "precision", "recall", "f1", "f1_low", "f1_high",
    "clean", "exact", "morph_score", "preservation", "over_segmentation", "under_segmentation",
)  # fmt: skip
_MOST_EXAMPLES = 20  # of eojeols that could not be aligned


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
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap (default: %(default)s)")


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    if (options.gold in ANALYSERS) != (options.text is not None):
        raise InputError(
            "--text is what a program ({programs}) given by --gold analyses: give both, or a gold file alone",
            code="morphology.text",
            programs=_PROGRAMS,
        )
    if options.text is not None:
        analysis = silver_analysis(read_corpus(options.text, column=options.column), options.gold)
        tag_source: str | None = options.gold
    else:
        analysis, tag_source = tagged_gold(options.gold)
    gold, silver = options.text or options.gold, options.text is not None
    rows = [
        morphology_row(model, gold, read_model(options, model), analysis, tag_source, silver, options.seed)
        for model in options.model
    ]
    sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _table(rows))


def tagged_gold(path: str) -> tuple[Analysis, str | None]:
    """The analysis of a gold file, and whose its parts of speech are: `gold`, `mecab` where installed, or None."""
    gold = read_gold(path)
    if any(word.tags for sentence in gold for word in sentence.words):
        return gold_analysis(gold), "gold"
    has_mecab = ANALYSERS[MECAB].is_installed
    return gold_analysis(gold, tagged_by_mecab=has_mecab), MECAB if has_mecab else None


def morphology_row(
    model: str, gold: str, tokenizer: Tokenizer, analysis: Analysis, tag_source: str | None, silver: bool, seed: int = 0
) -> dict[str, object]:
    """One model as the command prints it; None for what cannot be measured."""
    scores = morphology_scores(tokenizer, analysis, seed)
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
        "tags_of": tag_source,
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
        "unaligned_examples": analysis.unaligned[:_MOST_EXAMPLES],
    }


def _values(measures: Mapping[str, Measure]) -> dict[str, float | None]:
    """Each measure with the ends of its interval."""
    values: dict[str, float | None] = {}
    for name, measure in measures.items():
        low, high = measure.interval or (None, None)
        known = measure.value == measure.value
        values |= {name: measure.value if known else None, f"{name}_low": low, f"{name}_high": high}
    return values


def _table(rows: list[dict[str, object]]) -> str:
    lines = ["\t".join(_COLUMNS)]
    lines += ["\t".join(_cell(row[name]) for name in _COLUMNS) for row in rows]
    if rows[0]["silver"]:
        lines.append(f"# silver: the morphemes are those of {ANALYSERS[str(rows[0]['tags_of'])].title}, not a person's")
    lines.append(
        "# of boundaries inside aligned eojeols, all together; interval: 95 % bootstrap over sentences; --json has the "
        "others, parts of speech, frequencies and what could not be aligned"
    )
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
