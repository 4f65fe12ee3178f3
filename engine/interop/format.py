"""What a file format of another program needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from engine.errors import InputError
from engine.tokenizer import Tokenizer

# Ids of every line.
Encode = Callable[[Sequence[str]], list[list[int]]]


class FormatFunctions(Protocol):
    """What the module of a format has. `read` only where such files are read; `encoders` or `reread`."""

    def suits(self, tokenizer: Tokenizer) -> bool:
        """Whether a tokenizer of this kind can be written as such a file; details may still refuse it."""

    def write(self, tokenizer: Tokenizer, profile: str) -> bytes:
        """The file; InputError where it cannot hold the tokenizer."""

    def encoders(self, tokenizer: Tokenizer, data: bytes) -> list[tuple[Encode, Encode]]:
        """Pairs of encoders that must agree: ours, and those of the library with that file."""

    def reread(self, tokenizer: Tokenizer, data: bytes) -> tuple[str, int, int]:
        """Of a file that no library encodes with: what is compared, of how many lines, and how many differ."""

    def read(self, data: bytes, pattern: str | None) -> Tokenizer:
        """The tokenizer in a file; `pattern` cuts text where the file does not say what does."""


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Parameters
    ----------
    name : as `export --to` has it; its name in the app is the text `export.to.<name>`.
    ending : of the file's name.
    about : what it is, in the help of the command line.
    module : in `engine.interop`, with the FormatFunctions.
    library : the package that reads the file and checks it; "" if nothing encodes with the file.
    recognise : whether content is such a file; the file's name only affects the error message. None where such
        files are not read.
    """

    name: str
    ending: str
    about: str
    module: str
    library: str = ""
    recognise: Callable[[bytes, str], bool] | None = None

    @property
    def functions(self) -> FormatFunctions:
        """Imported on demand, which halves the time to encode one line."""
        return cast(FormatFunctions, import_module(f"engine.interop.{self.module}"))


def our_encoder(tokenizer: Tokenizer, allow_special: bool = False) -> Encode:
    """Special tokens are text unless they are allowed."""
    return lambda texts: [tokenizer.encode(text, allow_special).ids for text in texts]


def has_ranks(tokenizer: Tokenizer) -> bool:
    """Whether it merges bytes by rank."""
    try:
        return tokenizer.byte_ranks() is not None
    except InputError:  # two tokens have the same bytes: the export names them
        return True


def require_different(labels: list[str]) -> None:
    """InputError if two tokens have the same label."""
    seen: dict[str, int] = {}
    for token_id, label in enumerate(labels):
        if seen.setdefault(label, token_id) != token_id:
            raise InputError("export.repeated", first=seen[label], token_id=token_id, label=label)
