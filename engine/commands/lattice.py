"""Show the lattice of a text: every arc with its probabilities.

Probabilities are natural logarithms (nats).
"""

import argparse

from engine.commands.options import add_model_argument, add_option, read_model
from engine.commands.output import Result, in_a_cell
from engine.report.figures import lattice_figure
from engine.tokenizer import require_probabilities, require_pruning

_COLUMNS = ("begin", "end", "id", "log_prob", "marginal", "best", "token")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument("--text", required=True, metavar="T", help="text, one line")
    parser.add_argument(
        "--round", type=int, metavar="R", help="round of a model that was pruned, from 0 (default: the last)"
    )
    add_option(parser, "--nbest", 0, "print the K best segmentations too", metavar="K")


def run(options: argparse.Namespace) -> Result:
    """The lattice and its figure."""
    model = require_probabilities(read_model(options))
    if options.round is None:
        lattice = model.lattice(options.text)
    else:
        lattice = require_pruning(model).lattice(options.text, options.round)
    result = lattice.fields(options.nbest)
    lines = [f"log Z {result['log_z']:.4f}, entropy {result['entropy']:.4f} nats"]
    for path in result["nbest"]:
        lines.append(f"{path['posterior']:.4f}\t{path['log_prob']:.4f}\t{in_a_cell('|'.join(path['tokens']))}")
    best = {"best": lambda is_best: "*" if is_best else ""}
    return Result(
        _COLUMNS, result["arcs"], lines=lines, json=result, texts=best, figure=lambda: lattice_figure(lattice)
    )
