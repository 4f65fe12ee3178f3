"""Opening any tokenizer file, ours or another program's; the format is detected from the content."""

from pathlib import Path

from engine.errors import ModelFileError
from engine.interop.formats import import_tokenizer
from engine.machine.atomic_file import read_file
from engine.tokenizer import Tokenizer


def load_tokenizer(path: str | Path, pattern: str | None = None) -> Tokenizer:
    """Load a tokenizer file of any format; see `engine.interop.formats` for the formats and for `pattern`.

    Raises
    ------
    ModelFileError : the file cannot be read, is damaged, from a newer version, or of an unknown format.
    """
    return import_tokenizer(read_file(path, ModelFileError), Path(path).name, pattern)


def tokenizer_from_bytes(data: bytes, name: str = "") -> Tokenizer:
    """Load a tokenizer from the content of a file; see load_tokenizer. The file `name` is only a hint.

    >>> tokenizer = tokenizer_from_bytes(b"[UNK]\\nhug\\n##s\\n")
    >>> tokenizer.name, [tokenizer.token_label(token_id) for token_id in tokenizer.encode("hugs").ids]
    ('WordPiece', ['hug', '##s'])
    """
    return import_tokenizer(data, name)
