"""Find what is key in one corpus against another: tokens, words or morphemes.

Without --against, the files that --where chooses are compared with those that --against-where chooses, or with all
others. g2 is the log-likelihood ratio, p_holm its p-value corrected for everything tested; the log ratio has a 95 %
interval. Dispersion is measured in the corpus where the unit is relatively more frequent.
"""

import argparse
from typing import Any

from engine.commands.options.corpus import FiledLines, add_corpus_arguments, chosen_files, read_filed
from engine.commands.options.model import add_model_argument, read_model
from engine.commands.options.numbers import whole_number
from engine.commands.output import Result
from engine.corpus.files import CorpusFiles, parse_where
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.errors import InputError
from engine.measure.corpus_units import (
    UNITS,
    CorpusUnits,
    LineUnits,
    corpus_units,
    morpheme_units,
    token_units,
    word_units,
)
from engine.measure.dispersion import N_PARTS
from engine.measure.key_rows import key_rows, labels_of, not_the_same
from engine.measure.keyness import MIN_COUNT, Keyness, keyness
from engine.measure.words import AUTO, DEFINITIONS
from engine.report.figures import keyness_figure
from engine.tokenizer import Tokenizer

_COLUMNS = (
    "count",
    "against",
    "g2",
    "direction",
    "p_holm",
    "log_ratio",
    "log_ratio_low",
    "log_ratio_high",
    "percent_diff",
    "dp_norm",
    "juilland_d",
    "range",
    "class",
)
_NO_CLASSES = "none"
_MOST_PARTS = 1000
_LISTED = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="text files or tables; one or more")
    parser.add_argument(
        "--against", nargs="+", action="extend", default=[], metavar="FILE", help="the files to compare with"
    )
    add_corpus_arguments(parser)
    parser.add_argument(
        "--against-where",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN=VALUE",
        help="the files to compare with, chosen as with --where (default: all of --against, else all others)",
    )
    add_model_argument(parser, is_required=False)
    parser.add_argument("--unit", choices=UNITS, default=UNITS[0], help="what is counted (default: %(default)s)")
    parser.add_argument(
        "--words",
        choices=[AUTO, *(name for name in DEFINITIONS if name != "own")],
        default=AUTO,
        help="what a word is, for --unit words (default: by the script of each file)",
    )
    parser.add_argument(
        "--analyser",
        choices=[*ANALYSERS, _NO_CLASSES],
        default=next(iter(installed_analysers()), _NO_CLASSES),
        help="finds morphemes, and the classes of tokens (default: %(default)s)",
    )
    parser.add_argument(
        "--min-count",
        type=whole_number(),
        default=MIN_COUNT,
        metavar="N",
        help="least occurrences in both together (default: %(default)s)",
    )
    parser.add_argument(
        "--parts",
        type=whole_number(2, _MOST_PARTS),
        default=N_PARTS,
        metavar="N",
        help="parts for dispersion: the files, or N stretches of lines if there are fewer (default: %(default)s)",
    )
    parser.add_argument(
        "--limit",
        type=whole_number(),
        default=_LISTED,
        metavar="N",
        help="rows to print, 0 for all (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> Result:
    """The table, and the figure of its first rows."""
    tokenizer = _tokenizer(options)
    corpus, first, second = _compared(options)
    units = corpus_units(
        corpus.files,
        [_units(options, tokenizer, corpus.files.lines_of((i,), corpus.lines)) for i in range(len(corpus.files))],
        tokenizer.vocab_size if tokenizer else 0,
    )
    not_the_same(units, first, second)
    found = keyness(units.counts(first), units.counts(second), options.min_count)
    types = found.ranked()[: options.limit or None]
    rows = key_rows(units, found, (first, second), types, options.parts)
    labels = labels_of(units, [row["type"] for row in rows], tokenizer)
    classes = _classes(options, tokenizer, units, corpus, rows, (first, second))
    said = [_row(options.unit, row, label, own) for row, label, own in zip(rows, labels, classes, strict=True)]
    columns, notes = ("id", *_COLUMNS, options.unit[:-1]), [_note(options.unit, found)]
    return Result(columns, said, notes, figure=lambda: keyness_figure(said, options.unit[:-1]))


def _tokenizer(options: argparse.Namespace) -> Tokenizer | None:
    if options.unit != UNITS[0]:
        return None
    if options.model is None:
        raise InputError("keyness.model")
    return read_model(options)


def _compared(options: argparse.Namespace) -> tuple[FiledLines, tuple[int, ...], tuple[int, ...]]:
    """All files, and the indices of those of the two sub-corpora."""
    corpus = read_filed(options, [*options.files, *options.against])
    files, own = corpus.files, range(len(options.files))
    if not options.against:
        first = chosen_files(options, files)
        second = files.choose(parse_where(options.against_where)) if options.against_where else files.rest(first)
    else:
        others = range(len(own), len(files))
        first = _among(files, own, options.where)
        second = _among(files, others, options.against_where)
    return corpus, first, second


def _among(files: CorpusFiles, own: range, where: list[str]) -> tuple[int, ...]:
    return tuple(own[i] for i in files.part(own).choose(parse_where(where)))


def _units(options: argparse.Namespace, tokenizer: Tokenizer | None, lines: list[str]) -> LineUnits:
    if tokenizer is not None:
        return token_units(tokenizer, lines)
    if options.unit == "words":
        return word_units(lines, options.words)
    if options.analyser == _NO_CLASSES:
        raise InputError("keyness.analyser")
    return morpheme_units(lines, options.analyser)


def _classes(
    options: argparse.Namespace,
    tokenizer: Tokenizer | None,
    units: CorpusUnits,
    corpus: FiledLines,
    rows: list[dict[str, Any]],
    compared: tuple[tuple[int, ...], tuple[int, ...]],
) -> list[str | None]:
    """The morphological class of every row; None where it has none."""
    if tokenizer is None or options.analyser == _NO_CLASSES:
        return [None] * len(rows)
    from engine.measure.morphemes.key_classes import row_classes

    return row_classes(tokenizer, units, corpus.lines, rows, compared, options.analyser)


def _row(unit: str, row: dict[str, Any], label: str, own_class: str | None) -> dict[str, Any]:
    """A row as it is printed; None for unknown values."""
    named = {"id": row["type"] if unit == UNITS[0] else None, unit[:-1]: label}
    rest = {name: None if value != value else value for name, value in row.items() if name != "type"}
    return {**named, **rest, "class": own_class}


def _note(unit: str, found: Keyness) -> str:
    return (
        f"{found.total:,} {unit} against {found.total_against:,}; direction: + where relatively more frequent in the "
        "first, - in the second; g2: log-likelihood ratio (Rayson and Garside 2000); p_holm: Holm's correction over "
        "all that are frequent enough; log_ratio: binary logarithm with its 95 % interval (Hardie 2014); dispersion "
        "where it is more frequent: dp_norm 0 (even) to 1, juilland_d 1 (even) to 0"
    )
