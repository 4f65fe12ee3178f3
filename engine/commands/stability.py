"""Train on resamples of the corpus: which tokens do they keep, and how far does fertility depend on it?

The settings are those of `train`. A resample has as many lines as the corpus, drawn with replacement.
"""

import argparse
import json
import sys
from typing import Any

from engine.commands.options.corpus import read_text
from engine.commands.output import add_figure_arguments, check_figure, latex_rows, print_result, write_out_figure
from engine.commands.train import add_settings_arguments, corpus_lines, settings_of
from engine.errors import InputError
from engine.measure.stability import LEFT_OUT, N_RESAMPLES, resamples, stability, stability_fields
from engine.report.figures import stability_figure
from engine.training import train

_MOST_RESAMPLES = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_settings_arguments(parser)
    parser.add_argument(
        "--resamples", type=int, default=N_RESAMPLES, metavar="N", help="how many (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the draws (default: %(default)s)")
    parser.add_argument("--text", metavar="FILE", help=f"text to measure fertility on (default: the {LEFT_OUT})")
    add_figure_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Print fertility with its interval, and the tokens, the least stable first; and write the figure."""
    check_figure(options)
    if not 1 <= options.resamples <= _MOST_RESAMPLES or options.seed < 0:
        raise InputError("stability.number", most=_MOST_RESAMPLES)
    settings, lines = settings_of(options), corpus_lines(options)
    text = read_text(options, options.text) if options.text else None
    found = []
    for one in resamples(lines, settings, options.resamples, options.seed, text, options.threads):
        found.append(one)
        sys.stderr.write(f"resample {len(found)} of {options.resamples}: {one.kept.mean():.1%} of the tokens kept\n")
    made = stability(found)
    model = train(lines, settings, options.threads)
    result = stability_fields(made, model, options.text or LEFT_OUT)
    write_out_figure(options, lambda: stability_figure(result))
    columns, note = ("kept", "id", "token"), _note(result)
    print_result(
        options, result, lambda: _table(result, note), lambda: latex_rows(columns, result["tokens"], notes=[note])
    )


def _table(result: dict[str, Any], note: str) -> str:
    rows = [f"{row['kept']}\t{row['id']}\t{json.dumps(row['token'], ensure_ascii=False)}" for row in result["tokens"]]
    return "\n".join(["kept\tid\ttoken", *rows, note]) + "\n"


def _note(result: dict[str, Any]) -> str:
    return (
        f"# of {result['resamples']} resamples; fertility "
        f"{result['fertility']:.4f}, 95 % of them {result['fertility_low']:.4f} to {result['fertility_high']:.4f} "
        f"({result['measured_on']}; word: {result['word_definition']})"
    )
