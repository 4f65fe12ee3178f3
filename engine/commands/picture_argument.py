"""The option that writes a picture of the result, the same in every command that has one."""

import argparse
from collections.abc import Callable

from engine.machine.atomic_file import write_whole


def add_picture_argument(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--svg`."""
    parser.add_argument("--svg", metavar="FILE", help=f"also write a picture of {what}, in light colours")


def write_picture(options: argparse.Namespace, drawn: Callable[[str], str]) -> None:
    """Write what `drawn` returns for a theme, if the options ask for it.

    Raises
    ------
    InputError : the text is too long for a picture, or the file cannot be written.
    """
    if options.svg is not None:
        write_whole(options.svg, drawn("light").encode())
