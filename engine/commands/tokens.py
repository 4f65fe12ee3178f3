"""List a vocabulary with its statistics.

Branching entropy is in nats; p is the sentence probability of the paper's eq. 5, log_prob that of the lattice.
"""

import argparse

from engine.commands.options.model import add_model_argument, read_model
from engine.commands.output import latex_rows, print_result
from engine.measure.token_table import COLUMNS, TokenRow, token_rows
from engine.vocabulary.ids import read_ids

_FORMATS = {"log_prob": ".4f", "p": ".6g", "be": ".4f", "score": ".6g"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument(
        "--round", type=int, metavar="R", help="round of a model that was pruned, from 0 (default: the last)"
    )
    parser.add_argument(
        "--all", action="store_true", help="list the tokens pruned before too, as they were in their last round"
    )
    parser.add_argument("--id", nargs="+", action="extend", metavar="ID", help="only the tokens with these ids")
    parser.add_argument(
        "--sort",
        choices=("id", "token", *COLUMNS),
        help="column to sort by (default: score of a model that was pruned, else id)",
    )


def run(options: argparse.Namespace) -> None:
    """Print the tokens."""
    tokenizer = read_model(options)
    rows = token_rows(tokenizer, options.round, options.all, options.sort)
    if options.id:
        wanted = set(read_ids(" ".join(options.id), tokenizer.vocab_size))
        rows = [row for row in rows if row["id"] in wanted]
    print_result(options, rows, lambda: _table(rows), lambda: latex_rows(list(rows[0]), rows))


def _table(rows: list[TokenRow]) -> str:
    """The rows as text, the token last because it may contain any character."""
    columns = [name for name in rows[0] if name != "token"]
    lines = ["\t".join([*("died" if name == "died_in_round" else name for name in columns), "token"])]
    lines += ["\t".join([*(_cell(name, row[name]) for name in columns), str(row["token"])]) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(name: str, value: str | int | float | None) -> str:
    return "-" if value is None else format(value, _FORMATS.get(name, ""))
