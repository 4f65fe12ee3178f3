"""The options that select tokenizers, the same in every command."""

import argparse

from engine.corpus.pretokens.tiktoken_patterns import DEFAULT_PATTERN, TIKTOKEN_PATTERNS
from engine.model_files import load_tokenizer
from engine.public.catalogue import HUB, PUBLIC
from engine.shipped.catalogue import SHIPPED
from engine.tokenizer import Tokenizer


def add_model_argument(parser: argparse.ArgumentParser, several: bool = False, is_required: bool = True) -> None:
    """Add `--model` and the options for what a model file may leave open."""
    files = (
        f"a model file, a tokenizer file of another program, {SHIPPED}NAME or {PUBLIC}NAME (see the command models), "
        f"or {HUB}OWNER/NAME, a model on the Hugging Face hub"
    )
    if several:
        parser.add_argument(
            "--model", nargs="+", action="extend", required=True, metavar="MODEL", help=f"{files}; one or more"
        )
    else:
        parser.add_argument("--model", required=is_required, metavar="MODEL", help=files)
    parser.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help="what tiktoken ranks cut text by, which their file does not say: "
        f"{', '.join(('gpt2', *TIKTOKEN_PATTERNS))} or a regular expression (default: that of a known file "
        f"with as many ranks, else {DEFAULT_PATTERN})",
    )


def read_model(options: argparse.Namespace, path: str | None = None) -> Tokenizer:
    """The tokenizer selected by the options, or the one in `path`.

    What is not supported of its file is noted in `options.unsupported` by the model's name: the JSON has it, and the
    command line prints it when the command is done.
    """
    name = options.model if path is None else path
    tokenizer = load_tokenizer(name, options.pattern)
    options.unsupported = getattr(options, "unsupported", {}) | {name: list(tokenizer.unsupported)}
    return tokenizer
