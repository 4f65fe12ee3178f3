"""Train on resamples of the corpus: which tokens do they keep, and how far does fertility depend on it?

The settings are those of `train`. A resample has as many lines as the corpus, drawn with replacement.
"""

import argparse
import sys
from typing import Any

from engine.commands.corpus_options import read_text
from engine.commands.options import add_option
from engine.commands.output import Result, json_text
from engine.commands.train import add_settings_arguments, corpus_lines, settings_of
from engine.measure.stability import LEFT_OUT, N_RESAMPLES, resamples, stability, stability_fields
from engine.report.figures import stability_figure
from engine.training import train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_settings_arguments(parser)
    add_option(parser, "--resamples", N_RESAMPLES, "how many", metavar="N")
    add_option(parser, "--seed", 0, "seed of the draws", metavar="S")
    parser.add_argument("--text", metavar="FILE", help=f"text to measure fertility on (default: the {LEFT_OUT})")


def run(options: argparse.Namespace) -> Result:
    """Fertility with its interval, and the tokens, the least stable first; and the figure."""
    settings, lines = settings_of(options), corpus_lines(options)
    text = read_text(options, options.text) if options.text else None
    found = []
    for one in resamples(lines, settings, options.resamples, options.seed, text, options.threads):
        found.append(one)
        sys.stderr.write(f"resample {len(found)} of {options.resamples}: {one.kept.mean():.1%} of the tokens kept\n")
    made = stability(found)
    model = train(lines, settings, options.threads)
    result = stability_fields(made, model, options.text or LEFT_OUT)
    return Result(
        ("kept", "id", "token"),
        result["tokens"],
        [_note(result)],
        json=result,
        texts={"token": json_text},
        figure=lambda: stability_figure(result),
    )


def _note(result: dict[str, Any]) -> str:
    return (
        f"of {result['resamples']} resamples; fertility "
        f"{result['fertility']:.4f}, 95% of them {result['fertility_low']:.4f} to {result['fertility_high']:.4f} "
        f"({result['measured_on']}; word: {result['word_definition']})"
    )
