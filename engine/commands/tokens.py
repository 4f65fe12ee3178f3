"""List a vocabulary with its statistics.

Branching entropy is in nats; p is the sentence probability of the paper's eq. 5, log_prob that of the lattice.
"""

import argparse
import json
import math
import sys

from engine.commands.model_argument import add_model_argument, read_model
from engine.errors import InputError
from engine.tokenizer import PrunedTokenizer, Tokenizer, require_pruning
from engine.vocabulary.ids import read_ids

# Statistics of a token besides its text and id, and the columns sorted from the smallest value up.
_COLUMNS = ("score", "p", "be", "log_prob", "frequency", "merge", "rank")
_ASCENDING = ("id", "token", "merge", "rank")
_FORMATS = {"log_prob": ".4f", "p": ".6g", "be": ".4f", "score": ".6g"}

_Row = dict[str, str | int | float | None]


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
        choices=("id", "token", *_COLUMNS),
        help="column to sort by (default: score of a model that was pruned, else id)",
    )


def run(options: argparse.Namespace) -> None:
    """Print the tokens."""
    tokenizer = read_model(options)
    if tokenizer.pruning is not None or options.round is not None or options.all:
        rows = _rows_of_round(require_pruning(tokenizer), options.round, options.all)
    else:
        rows = _rows(tokenizer)
    if options.id:
        wanted = set(read_ids(" ".join(options.id), tokenizer.vocab_size))
        rows = [row for row in rows if row["id"] in wanted]
    sort = options.sort or ("score" if tokenizer.pruning is not None else "id")
    rows = _sorted(tokenizer, rows, sort)
    sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n" if options.json else _table(rows))


def _rows_of_round(model: PrunedTokenizer, number: int | None, include_dead: bool) -> list[_Row]:
    """One row per token of the round, in order of the model's rows."""
    number = model.round_number(number)
    table = model.round_table(number, include_dead).sort_values("row")
    # A token that is removed later is still alive in this round.
    died = table["died_in_round"].where((table["died_in_round"] >= 0) & (table["died_in_round"] < number))
    return [
        {
            "token": record.token,
            "id": int(record.id) if record.id >= 0 else None,
            "log_prob": record.log_prob,
            "p": record.p,
            "be": record.be,
            "score": record.score,
            "died_in_round": int(end) if end == end else None,
        }
        for record, end in zip(table.itertuples(), died, strict=True)
    ]


def _rows(tokenizer: Tokenizer) -> list[_Row]:
    """One row per token, by id."""
    columns = {name: values.tolist() for name, values in tokenizer.statistics().items()}
    return [
        {
            "token": tokenizer.token_label(token_id),
            "id": token_id,
            **{name: _known(values[token_id]) for name, values in columns.items()},
        }
        for token_id in range(tokenizer.vocab_size)
    ]


def _known(value: int | float) -> int | float | None:
    """The value, or None if the token does not have it."""
    is_missing = math.isnan(value) if isinstance(value, float) else value < 0
    return None if is_missing else value


def _sorted(tokenizer: Tokenizer, rows: list[_Row], name: str) -> list[_Row]:
    """The rows sorted stably by a column, those without a value last."""
    if name not in rows[0]:
        known = [column for column in ("id", "token", *_COLUMNS) if column in rows[0]]
        raise InputError("tokens.sort", tokenizer=tokenizer.name, column=name, choices=", ".join(known))
    known_rows = [row for row in rows if row[name] is not None]
    known_rows.sort(key=lambda row: row[name], reverse=name not in _ASCENDING)  # type: ignore[arg-type, return-value]
    return known_rows + [row for row in rows if row[name] is None]


def _table(rows: list[_Row]) -> str:
    """The rows as text, the token last because it may contain any character."""
    columns = [name for name in rows[0] if name != "token"]
    lines = ["\t".join([*("died" if name == "died_in_round" else name for name in columns), "token"])]
    lines += ["\t".join([*(_cell(name, row[name]) for name in columns), str(row["token"])]) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(name: str, value: str | int | float | None) -> str:
    return "-" if value is None else format(value, _FORMATS.get(name, ""))
