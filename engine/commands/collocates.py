"""Find the collocates of a node: tokens, words or morphemes that stand near it more often than by chance.

The windows end with the line. logDice does not depend on the size of the text; MI favours rare units, MI3 less so; t
favours frequent ones; g2 is the log-likelihood ratio, and p its p-value after Holm's correction over the rows. _low and
_high are the ends of 95 % intervals. docs/query.md has the formulas.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from engine.commands.concordance import add_query_arguments, pointing_at_query, read_layers
from engine.commands.corpus_options import add_files_argument, read_chosen
from engine.commands.options import add_model_argument, add_option, read_model, whole_number
from engine.commands.output import Result
from engine.measure.collocates import MEASURES, Collocates, check_windows, collocates, sides_of, windows_of
from engine.measure.layers import MORPHEMES, TOKENS, WORDS, Layer
from engine.query.near import near_query, node_query
from engine.report.figures import collocates_figure

_COLUMNS = ("observed", "left", "right", "frequency", "expected", *MEASURES, "p")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument(
        "--node", required=True, metavar="NODE", help="a query, or the text of one unit (a morpheme's form)"
    )
    add_option(parser, "--unit", TOKENS, "what is near it", choices=(TOKENS, WORDS, MORPHEMES))
    add_option(parser, "--left", 5, "units to the left", metavar="N")
    add_option(parser, "--right", 5, "units to the right", metavar="N")
    add_option(parser, "--min-count", 3, "least occurrences in the windows", type=whole_number(), metavar="N")
    add_option(parser, "--sort", MEASURES[0], "sort by it", choices=("observed", *MEASURES))
    add_option(parser, "--limit", 100, "rows to print, 0 for all", type=whole_number(), metavar="N")
    add_query_arguments(parser)
    add_files_argument(parser)


def run(options: argparse.Namespace) -> Result:
    """The table, and the figure of its first rows."""
    check_windows(options.left, options.right)
    with pointing_at_query():
        node = node_query(options.node, options.unit)
    tokenizer = read_model(options)
    lines = read_chosen(options, options.files).lines
    text = read_layers(options, tokenizer, lines, [*node.layers, options.unit])
    with pointing_at_query():
        nodes = text.find(node, options.query_seconds)
    layer = text.layers[options.unit]
    sides = sides_of(layer, text.starts, nodes, options.left, options.right)
    found = collocates(layer, windows_of(sides, len(layer.begin)), len(nodes.line), options.min_count).sorted_by(
        options.sort
    )
    rows = _rows(found, layer, options.limit or len(found.kind))
    if options.json:
        for row, kind in zip(rows, found.kind.tolist(), strict=False):
            row["query"] = near_query(node.text, layer, kind, options.left, options.right)
    unit = options.unit[:-1]
    return Result(
        (*_COLUMNS, unit),
        rows,
        [_note(found, options)],
        latex_columns=(*_COLUMNS, *_ends(options.sort), unit),
        figure=lambda: collocates_figure(rows, unit, options.sort),
    )


def _rows(found: Collocates, layer: Layer, limit: int) -> list[dict[str, Any]]:
    columns: dict[str, Sequence[Any]] = {name: getattr(found, name).tolist() for name in _COLUMNS}
    for name in MEASURES:
        if (ends := found.interval(name)) is not None:
            columns |= {f"{name}_{side}": one.tolist() for side, one in zip(("low", "high"), ends, strict=True)}
    labels, unit = layer.labels, layer.name[:-1]
    return [
        {unit: labels[kind], **{name: values[row] for name, values in columns.items()}}
        for row, kind in enumerate(found.kind[:limit].tolist())
    ]


def _ends(measure: str) -> list[str]:
    """The columns of its interval; none where it has none."""
    return [] if measure in ("observed", "g2") else [f"{measure}_low", f"{measure}_high"]


def _note(found: Collocates, options: argparse.Namespace) -> str:
    return (
        f"node: {found.n_nodes:,} occurrences; windows: {options.left} to the left and {options.right} to the right, "
        f"{found.n_near:,} of {found.n_units:,} {options.unit}; {len(found.kind):,} at least {options.min_count} times"
    )
