"""List a vocabulary with its statistics.

Branching entropy is in nats; p is the sentence probability of the paper's eq. 5, log_prob the lattice's.
"""

import argparse
import json
import sys

from engine.unigram.model_file import load_model

_SORTS = ("score", "p", "be", "log_prob", "id", "token")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--model", required=True, metavar="MODEL")
    parser.add_argument("--round", type=int, metavar="R", help="default: the last")
    parser.add_argument(
        "--all", action="store_true", help="also the tokens removed before, as they were in their last round"
    )
    parser.add_argument("--sort", choices=_SORTS, default="score")


def run(options: argparse.Namespace) -> None:
    """Print the tokens."""
    model = load_model(options.model)
    number = model.round_number(options.round)
    table = model.round_table(number, include_dead=options.all)
    if options.sort != "score":
        table = table.sort_values([options.sort, "row"], ascending=[options.sort in ("id", "token"), True])
    # A token that is removed later is still alive in this round.
    died = table["died_in_round"].where((table["died_in_round"] >= 0) & (table["died_in_round"] < number))
    rows = []
    for record, end in zip(table.itertuples(), died, strict=True):
        rows.append(
            {
                "token": record.token,
                "id": int(record.id) if record.id >= 0 else None,
                "log_prob": record.log_prob,
                "p": record.p,
                "be": record.be,
                "score": record.score,
                "died_in_round": int(end) if end == end else None,
            }
        )
    if options.json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n")
        return
    sys.stdout.write("id\tlog_prob\tp\tbe\tscore\tdied\ttoken\n")
    for row in rows:
        token_id, end = ("-" if row[key] is None else row[key] for key in ("id", "died_in_round"))
        numbers = f"{row['log_prob']:.4f}\t{row['p']:.6g}\t{row['be']:.4f}\t{row['score']:.6g}"
        sys.stdout.write(f"{token_id}\t{numbers}\t{end}\t{row['token']}\n")
