"""List a vocabulary with its statistics.

Branching entropy is in nats; p is the sentence probability of the paper's eq. 5, log_prob that of the lattice.
"""

import argparse

from engine.commands.options import add_model_argument, add_several, read_model
from engine.commands.output import Result
from engine.measure.token_table import COLUMNS, token_rows
from engine.vocabulary.ids import read_ids

_SIGNIFICANT = ("p", "score")  # as text: six figures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument(
        "--round", type=int, metavar="R", help="round of a model that was pruned, from 0 (default: the last)"
    )
    parser.add_argument(
        "--all", action="store_true", help="list the tokens pruned before too, as they were in their last round"
    )
    add_several(parser, "--id", "ID", "only the tokens with these ids")
    parser.add_argument(
        "--sort",
        choices=("id", "token", *COLUMNS),
        help="column to sort by (default: score of a model that was pruned, else id)",
    )


def run(options: argparse.Namespace) -> Result:
    """The tokens."""
    tokenizer = read_model(options)
    rows = token_rows(tokenizer, options.round, options.all, options.sort)
    if options.id:
        wanted = set(read_ids(" ".join(options.id), tokenizer.vocab_size))
        rows = [row for row in rows if row["id"] in wanted]
    # As text, the token is the last because it may contain any character.
    columns = [*(name for name in rows[0] if name != "token"), "token"]
    texts = dict.fromkeys(_SIGNIFICANT, lambda value: "-" if value is None else f"{value:.6g}")
    return Result(columns, rows, latex_columns=list(rows[0]), texts=texts, titles={"died_in_round": "died"})
