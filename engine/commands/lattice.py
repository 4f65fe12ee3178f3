"""Show the lattice of a text: every arc with its probabilities.

Probabilities are natural logarithms (nats).
"""

import argparse
import json
import sys
from typing import Any

from engine.commands.model_argument import add_model_argument, read_model
from engine.commands.picture_argument import add_picture_argument, write_picture
from engine.errors import InputError
from engine.lattice.fields import lattice_fields
from engine.pictures.computed import lattice_picture
from engine.tokenizer import require_probabilities, require_pruning

_MOST_SEGMENTATIONS = 10_000


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
    add_picture_argument(parser, "the lattice")


def run(options: argparse.Namespace) -> None:
    """Print the lattice."""
    if not 0 <= options.nbest <= _MOST_SEGMENTATIONS:
        raise InputError("lattice.nbest", most=_MOST_SEGMENTATIONS, nbest=options.nbest)
    model = require_probabilities(read_model(options))
    if options.round is None:
        lattice = model.lattice(options.text)
    else:
        lattice = require_pruning(model).lattice(options.text, options.round)
    write_picture(options, lambda theme: lattice_picture(lattice, theme))
    result = lattice_fields(lattice, options.nbest)
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n" if options.json else _table(result))


def _table(result: dict[str, Any]) -> str:
    lines = ["begin\tend\tid\tlog_prob\tmarginal\tbest\ttoken"]
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
