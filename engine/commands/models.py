"""List the tokenizers that can be named instead of a file.

Each is loaded on use; its pattern is its pre-tokenization.
"""

import argparse

from engine.commands.output import latex_rows, print_result
from engine.commands.table import table_lines
from engine.public.catalogue import PUBLIC_TOKENIZERS
from engine.public.load import is_available
from engine.shipped.catalogue import shipped_models

_COLUMNS = ("reference", "vocab_size", "year", "licence", "available", "home", "used_by", "pattern")

# Of the shipped models.
_LICENCE = "by register, see assets/models/manifest.json"
_USE = "trained on 25 MB of Korean"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace) -> None:
    """Print the list."""
    rows: list[tuple[object, ...]] = [
        (one.reference, one.vocab_size, None, _LICENCE, True, None, _USE, one.settings.pretokenizer)
        for one in shipped_models().values()
    ]
    rows += [
        (one.reference, one.vocab_size, one.year, one.licence, is_available(one.name), one.home, one.title, one.pattern)
        for one in PUBLIC_TOKENIZERS.values()
    ]
    named = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    print_result(
        options, named, lambda: "\n".join(table_lines(_COLUMNS, named)) + "\n", lambda: latex_rows(_COLUMNS, named)
    )
