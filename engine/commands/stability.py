"""Train on resamples of the corpus: which tokens do they keep, and how far does fertility depend on it?

The settings are those of `train`. A resample has as many lines as the corpus, drawn with replacement.
"""

import argparse
import json
import sys

from engine.commands.train import add_settings_arguments, corpus_lines, settings_of
from engine.corpus.reading.read import read_corpus
from engine.errors import InputError
from engine.measure.stability import LEFT_OUT, N_RESAMPLES, resamples, stability, stability_fields
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


def run(options: argparse.Namespace) -> None:
    """Print fertility with its interval, and the tokens, the least stable first."""
    if not 1 <= options.resamples <= _MOST_RESAMPLES or options.seed < 0:
        raise InputError("stability.number", most=_MOST_RESAMPLES)
    settings, lines = settings_of(options), corpus_lines(options)
    text = read_corpus(options.text, column=options.column) if options.text else None
    found = []
    for one in resamples(lines, settings, options.resamples, options.seed, text, options.threads):
        found.append(one)
        sys.stderr.write(f"resample {len(found)} of {options.resamples}: {one.kept.mean():.1%} of the tokens kept\n")
    made = stability(found)
    model = train(lines, settings, options.threads)
    result = stability_fields(made, model, options.text or LEFT_OUT)
    sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n" if options.json else _table(result))


def _table(result: dict[str, object]) -> str:
    rows = [f"{row['kept']}\t{row['id']}\t{json.dumps(row['token'], ensure_ascii=False)}" for row in result["tokens"]]  # type: ignore[attr-defined]
    return (
        "\n".join(["kept\tid\ttoken", *rows]) + f"\n# of {result['resamples']} resamples; fertility "
        f"{result['fertility']:.4f}, 95 % of them {result['fertility_low']:.4f} to {result['fertility_high']:.4f} "
        f"({result['measured_on']}; word: {result['word_definition']})\n"
    )
