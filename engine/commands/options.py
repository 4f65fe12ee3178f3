"""How options are declared, and those that select tokenizers."""

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

from engine.corpus.pretokens.known_patterns import DEFAULT_PATTERN, TIKTOKEN_PATTERNS
from engine.model_files import load_source, model_source, require_ranks
from engine.public.catalogue import HUB, PUBLIC
from engine.shipped.catalogue import SHIPPED
from engine.tokenizer import Tokenizer

_MOST = 2**31 - 1


def add_option(parser: argparse.ArgumentParser, name: str, default: object, about: str, **more: Any) -> None:
    """Add an option with a default, which gives its type and which its help names."""
    form = "%(default)g" if isinstance(default, float) else "%(default)s"
    parser.add_argument(name, default=default, help=f"{about} (default: {form})", **{"type": type(default), **more})


def add_several(parser: argparse.ArgumentParser, name: str, metavar: str, about: str, **more: Any) -> None:
    """Add an option that takes several values and may be repeated; none is an empty list."""
    parser.add_argument(name, nargs="+", action="extend", default=[], metavar=metavar, help=about, **more)


def whole_number(least: int = 0, most: int = _MOST) -> Callable[[str], int]:
    """The `type` of an option that takes a whole number within these bounds."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"give a whole number from {least} to {most}, got {text[:40]!r}")
        return value

    return read


def seconds(text: str) -> float:
    """The `type` of an option that takes a positive number of seconds."""
    return _positive(text, 1e9, "number of seconds up to 1,000,000,000")  # the time of a pattern is a 64-bit number


def share(text: str) -> float:
    """The `type` of an option that takes a number above 0, up to 1."""
    return _positive(text, 1.0, "number up to 1")


def _positive(text: str, most: float, about: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= most:
        raise argparse.ArgumentTypeError(f"give a positive {about}, got {text[:40]!r}")
    return value


def add_model_argument(parser: argparse.ArgumentParser, several: bool = False, is_required: bool = True) -> None:
    """Add `--model` and the options for what a model file may leave open."""
    files = (
        f"a model file, a tokenizer file of another program, {SHIPPED}NAME or {PUBLIC}NAME (see the command models), "
        f"or {HUB}OWNER/NAME, a model on the Hugging Face hub"
    )
    if several:
        add_several(parser, "--model", "MODEL", f"{files}; one or more", required=True)
    else:
        parser.add_argument("--model", required=is_required, metavar="MODEL", help=files)
    parser.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help="what tiktoken ranks cut text by, which their file does not say: "
        f"{', '.join(('gpt2', *TIKTOKEN_PATTERNS))} or a regular expression (default: that of a known file "
        f"with as many ranks, else {DEFAULT_PATTERN})",
    )


_READING = "--column --split --encoding"
# By command: options that have no effect in a case, which has some or lacks some.
_UNUSED = {
    "segment": {
        "--method=none": "--lambda --total --no-edges --order --rule",
        "--method=pmi-entropy": "--order --rule",
        "--method=entropy-only": "--lambda --total --order --rule",
        "--method=lm-entropy": "--lambda --total --no-edges",
        "--method=none without --bpe-vocab-size --gold": "--train",
        "--lm": "--order",
        "without --bpe-vocab-size": "--at-inference",
    },
    "papers": {"--json": "--markdown", "--latex": "--markdown", "--markdown": "--source"},
    "encode": {"--ids": "--encode --allow-special", "--json": "--show", "without --figure": "--width --letters"},
    "export": {"without --to=hf": "--profile", "without --sample": _READING},
    "audit": {"without --text": f"{_READING} --dask --work", "--against": "--text --list"},
    "keyness": {
        "--unit=tokens": "--words",
        "--unit=words": "--model --analyser",
        "--unit=morphemes": "--model --words",
    },
    "morphology": {"without --text": _READING},
    "fit": {
        "without --extend": "--min-count --scores",
        "without --trim --trim-unused": "--renumber",
        "without --text --other": _READING,
    },
    "concordance": {"--text": "--query-seconds"},
    "train": {"without --stream --dask": "--spool"},
}


def note_unused(options: argparse.Namespace) -> None:
    """Name on standard error the options that were given, with another value than the default, in vain."""

    def is_given(option: str) -> bool:
        name, _, wanted = option.partition("=")
        value = getattr(options, _dest(name), None)
        return value == wanted if wanted else value is not False and value not in (None, [])

    for case, names in (_UNUSED.get(options.command, {}) | {"without --figure": "--width --letters"}).items():
        present, _, absent = case.partition("without ")
        if all(map(is_given, present.split())) and not any(map(is_given, absent.split())):
            note_vain(options, case, *names.split())


def note_vain(options: argparse.Namespace, case: str, *names: str) -> None:
    """Name on standard error those of the options that were given, with another value than the default."""
    values = {name: (getattr(options, _dest(name), None), options.default_of(_dest(name))) for name in names}
    if vain := [name for name, (value, default) in values.items() if value != default]:
        sys.stderr.write(f"{options.command} {case} does not use {', '.join(vain)}\n")


def _dest(option: str) -> str:
    return option[2:].replace("-", "_")


def check_pattern(options: argparse.Namespace) -> None:
    """Refuse a `--pattern` that no model of the command needs, before work begins: InputError."""
    named = options.model if isinstance(getattr(options, "model", None), list) else [getattr(options, "model", None)]
    others = options.against if options.command == "audit" else []
    require_ranks([name for name in (*named, *others) if name is not None], getattr(options, "pattern", None))


def read_model(options: argparse.Namespace, path: str | None = None) -> Tokenizer:
    """The tokenizer selected by the options, or the one in `path`.

    What is not supported of its file is noted in `options.unsupported` by the model's name: the JSON has it, and the
    command line prints it when the command is done.
    """
    name = options.model if path is None else path
    # What is cached is what threads that read the texts load.
    tokenizer = load_source(model_source(name, options.pattern))
    options.unsupported = getattr(options, "unsupported", {}) | {name: list(tokenizer.unsupported)}
    return tokenizer
