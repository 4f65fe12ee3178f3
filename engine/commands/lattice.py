"""Show the lattice of a text: every arc with its probabilities.

Probabilities are natural logarithms (nats).
"""

import argparse
from typing import Any

from engine.commands.options.model import add_model_argument, read_model
from engine.commands.output import add_figure_arguments, check_figure, latex_rows, print_result, write_out_figure
from engine.errors import InputError
from engine.lattice.fields import lattice_fields
from engine.report.figures import lattice_figure
from engine.tokenizer import require_probabilities, require_pruning

_MOST_SEGMENTATIONS = 10_000
_COLUMNS = ("begin", "end", "id", "log_prob", "marginal", "best", "token")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--text", required=True, metavar="T", help="text, one line")
    parser.add_argument(
        "--round", type=int, metavar="R", help="round of a model that was pruned, from 0 (default: the last)"
    )
    parser.add_argument(
        "--nbest", type=int, default=0, metavar="K", help="print the K best segmentations too (default: %(default)s)"
    )
    add_figure_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Print the lattice, and write its figure."""
    check_figure(options)
    if not 0 <= options.nbest <= _MOST_SEGMENTATIONS:
        raise InputError("lattice.nbest", most=_MOST_SEGMENTATIONS, nbest=options.nbest)
    model = require_probabilities(read_model(options))
    if options.round is None:
        lattice = model.lattice(options.text)
    else:
        lattice = require_pruning(model).lattice(options.text, options.round)
    result = lattice_fields(lattice, options.nbest)
    write_out_figure(options, lambda: lattice_figure(lattice))
    print_result(options, result, lambda: _table(result), lambda: latex_rows(_COLUMNS, result["arcs"]))


def _table(result: dict[str, Any]) -> str:
    lines = ["\t".join(_COLUMNS)]
    for arc in result["arcs"]:
        token_id = "-" if arc["id"] is None else arc["id"]
        lines.append(
            f"{arc['begin']}\t{arc['end']}\t{token_id}\t{arc['log_prob']:.4f}\t{arc['marginal']:.4f}\t"
            f"{'*' if arc['best'] else ''}\t{arc['token']}"
        )
    lines.append(f"log Z {result['log_z']:.4f}, entropy {result['entropy']:.4f} nats")
    for path in result["nbest"]:
        lines.append(f"{path['posterior']:.4f}\t{path['log_prob']:.4f}\t{'|'.join(path['tokens'])}")
    return "\n".join(lines) + "\n"
