"""List the tokenizers that can be named instead of a file.

Each is loaded on use; its pattern is its pre-tokenization.
"""

import argparse

from engine.commands.output import Result
from engine.public.catalogue import KOREAN_HUB_MODELS, PUBLIC, PUBLIC_TOKENIZERS
from engine.public.hub import is_hub_open
from engine.public.load import is_available
from engine.shipped.catalogue import shipped_models

_COLUMNS = ("reference", "vocab_size", "year", "licence", "available", "home", "used_by", "pattern")

# Of the shipped models.
_LICENCE = "by register, see assets/models/manifest.json"
_USE = "trained on 25 MB of Korean"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace) -> Result:
    """The list."""
    rows: list[tuple[object, ...]] = [
        (one.reference, one.vocab_size, None, _LICENCE, True, None, _USE, one.settings.pretokenizer)
        for one in shipped_models().values()
    ]
    for one in PUBLIC_TOKENIZERS.values():
        is_here = is_available(one.name)
        for name, title, year, licence, home in ((one.name, one.title, one.year, one.licence, one.home), *one.also):
            rows.append((PUBLIC + name, one.vocab_size, year, licence or None, is_here, home, title, one.pattern))
    rows += [
        (one.reference, None, one.year or None, one.licence or None, is_hub_open(), one.home, one.title, None)
        for one in KOREAN_HUB_MODELS
    ]
    return Result(_COLUMNS, [dict(zip(_COLUMNS, row, strict=True)) for row in rows])
