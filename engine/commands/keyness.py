"""Find what is key in one corpus against another: tokens, words or morphemes.

Without --against, the files that --where chooses are compared with those that --against-where chooses, or with all
others. g2 is the log-likelihood ratio, p_holm its p-value corrected for everything tested; the log ratio has a 95 %
interval. Dispersion is measured in the corpus where the unit is relatively more frequent.
"""

import argparse
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from engine.commands.corpus_options import (
    WORD_CHOICES,
    add_files_argument,
    add_worker_arguments,
    read_blocks,
    read_filed,
    workers_of,
)
from engine.commands.options import add_model_argument, add_option, add_several, read_model, whole_number
from engine.commands.output import Result
from engine.corpus.files import CorpusFiles, parse_where
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers
from engine.errors import InputError
from engine.measure.corpus_units import UNITS, corpus_units, line_units
from engine.measure.dispersion import N_PARTS
from engine.measure.keyness import MIN_COUNT, Compared, ComparedUnits, Keyness, find_keys
from engine.measure.words import AUTO
from engine.model_files import model_source
from engine.report.figures import keyness_figure
from engine.scale.block_units import BlockUnits, UnitKind
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_several(parser, "--against", "FILE", "the files to compare with")
    add_files_argument(parser)
    about = "the files to compare with, chosen as with --where (default: all of --against, else all others)"
    add_several(parser, "--against-where", "COLUMN=VALUE", about)
    add_model_argument(parser, is_required=False)
    add_option(parser, "--unit", UNITS[0], "what is counted", choices=UNITS)
    parser.add_argument(
        "--words",
        choices=WORD_CHOICES,
        default=AUTO,
        help="what a word is, for --unit words (default: by the script of each file)",
    )
    analyser = next(iter(installed_analysers()), _NO_CLASSES)
    about = "finds morphemes, and the classes of tokens"
    add_option(parser, "--analyser", analyser, about, choices=[*ANALYSERS, _NO_CLASSES])
    add_option(parser, "--min-count", MIN_COUNT, "least occurrences in both together", type=whole_number(), metavar="N")
    about = "parts for dispersion: the files, or N stretches of lines if there are fewer"
    add_option(parser, "--parts", N_PARTS, about, type=whole_number(2, 1000), metavar="N")
    add_option(parser, "--limit", 200, "rows to print, 0 for all", type=whole_number(), metavar="N")
    add_worker_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    """The table, and the figure of its first rows."""
    if options.unit == UNITS[0] and options.model is None:
        raise InputError("keyness.model")
    tokenizer = read_model(options) if options.unit == UNITS[0] else None
    analyser = None if options.analyser == _NO_CLASSES else options.analyser
    if options.dask or options.work:
        if tokenizer is not None and analyser is not None:
            raise InputError("keyness.classes")
        source = None if tokenizer is None else model_source(options.model, options.pattern)
        kind = UnitKind(options.unit, source, tokenizer.vocab_size if tokenizer else 0, analyser)
        with workers_of(options) as workers:
            blocks = read_blocks(options, workers, [*options.files, *options.against])
            scaled = BlockUnits(workers, blocks, kind, options.words)
            return _result(options, *_find(options, scaled, _compared(options, blocks.files), tokenizer))
    corpus = read_filed(options, [*options.files, *options.against])
    compared = _compared(options, corpus.files)
    units = corpus_units(
        corpus.files,
        [
            line_units(options.unit, corpus.files.lines_of((i,), corpus.lines), tokenizer, options.words, analyser)
            for i in range(len(corpus.files))
        ],
        tokenizer.vocab_size if tokenizer else 0,
    )
    found, rows = _find(options, units, compared, tokenizer)
    classes: list[str | None] = []
    if tokenizer is not None and analyser is not None:
        from engine.measure.morphemes.token_classes import row_classes

        classes = row_classes(tokenizer, units, corpus.lines, rows, compared, analyser)
    return _result(options, found, rows, classes)


def _find(
    options: argparse.Namespace, units: ComparedUnits, compared: Compared, tokenizer: Tokenizer | None
) -> tuple[Keyness, list[dict[str, Any]]]:
    return find_keys(units, compared, tokenizer, options.min_count, options.limit or None, options.parts)


def _result(
    options: argparse.Namespace, found: Keyness, rows: list[dict[str, Any]], classes: Sequence[str | None] = ()
) -> Result:
    unit = options.unit[:-1]
    table = [_row(unit, row, own_class) for row, own_class in zip_longest(rows, classes)]
    notes = [_note(options.unit, found)]
    return Result(("id", *_COLUMNS, unit), table, notes, figure=lambda: keyness_figure(table, unit))


def _compared(options: argparse.Namespace, files: CorpusFiles) -> Compared:
    """The indices of the files of the two sub-corpora."""
    own = range(len(options.files))
    first = _among(files, own, options.where)
    if not options.against and not options.against_where:
        return first, files.rest(first)
    others = range(len(own), len(files)) if options.against else own
    return first, _among(files, others, options.against_where)


def _among(files: CorpusFiles, own: range, where: list[str]) -> tuple[int, ...]:
    return tuple(own[i] for i in files.part(own).choose(parse_where(where)))


def _row(unit: str, row: dict[str, Any], own_class: str | None) -> dict[str, Any]:
    """A row as it is printed; None for unknown values."""
    values = {name: None if value != value else value for name, value in row.items()}
    number, label = values.pop("type"), values.pop("label")
    return {"id": number if unit == "token" else None, unit: label, **values, "class": own_class}


def _note(unit: str, found: Keyness) -> str:
    return (
        f"{found.total:,} {unit} against {found.total_against:,}; direction: + where relatively more frequent in the "
        "first, - in the second; g2: log-likelihood ratio (Rayson and Garside 2000); p_holm: Holm's correction over "
        "all that are frequent enough; log_ratio: binary logarithm with its 95 % interval (Hardie 2014); dispersion "
        "where it is more frequent: dp_norm 0 (even) to 1, juilland_d 1 (even) to 0"
    )
