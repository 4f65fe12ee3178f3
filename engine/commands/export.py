"""Write a tokenizer as a file of another program (tokenizer.json, SentencePiece, ranks, codes) or as a table.

The library that reads the file encodes a sample and thousands of fuzz lines with it; if a line differs, nothing is
written and the line is shown.
"""

import argparse

from engine.commands.corpus_options import add_reading_arguments, read_text
from engine.commands.options import add_model_argument, add_option, read_model
from engine.commands.output import Result
from engine.interop.exports import export_tokenizer
from engine.interop.formats import FORMATS, TARGETS
from engine.interop.huggingface.exporter import PROFILES
from engine.machine.atomic_file import write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    add_model_argument(parser)
    parser.add_argument(
        "--to",
        required=True,
        choices=TARGETS,
        help="format to write; " + "; ".join(f"{name}: {_about(name)}" for name in TARGETS),
    )
    parser.add_argument("--output", required=True, metavar="PATH", help="file to write")
    add_option(parser, "--profile", PROFILES[0], "how hf writes characters", choices=PROFILES)
    parser.add_argument(
        "--sample", metavar="FILE", help="text to check the file on too, best the corpus of the training"
    )
    add_reading_arguments(parser)


def _about(target: str) -> str:
    return ", or ".join(one.about for one in FORMATS if one.name == target)


def run(options: argparse.Namespace) -> Result:
    """Check and write."""
    tokenizer = read_model(options)
    sample = read_text(options, options.sample) if options.sample is not None else []
    export = export_tokenizer(tokenizer, options.to, sample, options.profile)
    write_whole(options.output, export.data)
    report = export.report
    result = {"checked_lines": report.checked_lines, "mismatches": report.mismatches, "checked_with": report.library}
    checked = f"{report.checked_lines:,} lines checked with {report.library}, {report.mismatches:,} mismatches"
    return Result(lines=[f"{options.output}: {checked}"], json=result)
