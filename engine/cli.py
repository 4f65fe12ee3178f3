"""The command line: `python -m engine <command> ... [--json]`, installed as `thunder-tok`.

Exit code 0; 130 after Ctrl+C; or 2 with a one-line message on standard error for bad input, in the language of the
locale if `assets/i18n/error.toml` has it, else in English. Each command is a module in `engine.commands` with
`add_arguments` and `run`, which returns what is to be printed (`engine.commands.output.Result`) or prints itself.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from engine import VERSION
from engine._jit import import_compiler
from engine.commands.options import add_option, check_pattern, note_unused, seconds
from engine.commands.output import add_figure_arguments, check_outputs
from engine.corpus.pretokens.own_pattern import PATTERN_BYTES, PATTERN_SECONDS, pattern_allowance
from engine.errors import InputError
from engine.machine.atomic_file import STDIN
from engine.messages import locale_language, message

# Else Python warns of the semaphores of processes that Ctrl+C has ended.
_QUIETLY = "ignore::UserWarning:multiprocessing.resource_tracker"
# What the commands have: options for regular expressions from the user or from a tokenizer file, a table as their
# result, a figure; kernels that they always call.
_PATTERNS, _TABLE, _FIGURE, _KERNELS = "patterns", "table", "figure", "kernels"
_COMMANDS = {
    "train": (_PATTERNS, _KERNELS),
    "encode": (_PATTERNS, _FIGURE, _KERNELS),
    "lattice": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "tokens": (_PATTERNS, _TABLE),
    "audit": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "warmup": (),
    "fertility": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "robustness": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "keyness": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "morphology": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "stability": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "segment": (),
    "concordance": (_PATTERNS, _TABLE, _KERNELS),
    "collocates": (_PATTERNS, _TABLE, _FIGURE, _KERNELS),
    "export": (_PATTERNS,),
    "fit": (_PATTERNS, _TABLE, _KERNELS),
    "models": (_TABLE,),
    "papers": (_TABLE,),
}


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:  # else the parser of all commands would say it, and point at its own help
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def _print_message(self, message: str, file: Any = None) -> None:
        file = file or sys.stderr
        file.write(message)  # argparse would pass over a failure
        file.flush()


def build_parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Parser for the command that comes first in `arguments`, else for all commands (importing them all is slow)."""
    program = "thunder-tok" if Path(sys.argv[0]).stem == "thunder-tok" else "python -m engine"
    parser = _Parser(prog=program, description="Train tokenizers and take them apart.")
    parser.add_argument("--version", action="version", version=f"Thunder-Tok Explorer {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command", parser_class=_Parser)
    for name in [first for first in arguments[:1] if first in _COMMANDS] or _COMMANDS:
        module = import_module(f"engine.commands.{name}")
        summary = (module.__doc__ or "").strip().splitlines()[0]
        command = commands.add_parser(name, help=summary, description=summary)
        form = command.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="print JSON")
        if _TABLE in _COMMANDS[name]:
            form.add_argument("--latex", action="store_true", help="print the table for LaTeX (package booktabs)")
        if _PATTERNS in _COMMANDS[name]:
            about = "seconds that regular expressions of one's own may take, all together"
            add_option(command, "--pattern-seconds", PATTERN_SECONDS, about, type=seconds, metavar="S")
        module.add_arguments(command)
        if _FIGURE in _COMMANDS[name]:
            add_figure_arguments(command)
        command.set_defaults(run=module.run, default_of=command.get_default)
    return parser


def _one_line(message: str) -> str:
    """The message with control characters escaped: it may quote a file, and they could move the terminal's cursor."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in " ".join(message.split())
    )


def _complain(text: str) -> None:
    with suppress(OSError):  # the exit code tells it, too
        sys.stderr.write(f"{_one_line(text)}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if _QUIETLY not in sys.warnoptions:
        sys.warnoptions.append(_QUIETLY)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the shell closed it: `<&-`, `>&-`; what is printed cannot be written
            descriptor = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, os.fdopen(descriptor, mode))
    for stream in (sys.stdout, sys.stderr):
        # Independent of the locale; a file name may contain undecodable bytes.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        options = build_parser(arguments).parse_args(arguments)
        if getattr(options, "dask", None) and STDIN in arguments:
            raise InputError("scale.stdin")
        if _KERNELS in _COMMANDS[options.command]:
            import_compiler()
        with pattern_allowance(getattr(options, "pattern_seconds", PATTERN_SECONDS), PATTERN_BYTES):
            check_outputs(options)
            check_pattern(options)
            result = options.run(options)
            if result is not None:
                result.write(options)
        sys.stdout.flush()
        note_unused(options)
        for name, parts in getattr(options, "unsupported", {}).items():  # from `read_model`
            for part in parts:
                _complain(f"{name}: {part}")
        code = 0
    except InputError as error:
        language = locale_language()
        hint = f" ({message('pattern.allow_more', {}, language)})" if error.code == "pattern.slow" else ""
        code = 2
        _complain(f"{error.text(language)}{hint}")
        if options.json:
            with suppress(OSError):
                sys.stdout.write(json.dumps({"error": error.fields()}) + "\n")
    except BrokenPipeError:
        code = 0  # the reader (head, less) has closed the pipe
    except OSError as error:
        code = 2
        _complain(InputError("system.failed", detail=error.strerror or error).text(locale_language()))
    except KeyboardInterrupt as stop:
        sys.stderr.write(f"{str(stop) or 'stopped'}\n")
        sys.stderr.flush()
        # Python would wait for threads and processes that work.
        os._exit(130)
    with suppress(OSError):
        sys.stdout.flush()
        return code
    # Python would complain when it flushes the stream at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
