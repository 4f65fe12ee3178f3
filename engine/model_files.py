"""Opening any tokenizer file, ours or another program's: the content says what it is."""

from pathlib import Path

from engine.atomic_file import read_file
from engine.errors import ModelFileError
from engine.interop.formats import import_tokenizer
from engine.tokenizer import Tokenizer


def load_tokenizer(path: str | Path, pattern: str | None = None) -> Tokenizer:
    """The tokenizer in a file, whatever trained it; see `engine.interop.formats` for the kinds and the pattern.

    Raises
    ------
    ModelFileError : it cannot be read, is damaged, from a newer version, or of no known kind.
    """
    return import_tokenizer(read_file(path, ModelFileError), Path(path).name, pattern)


def tokenizer_from_bytes(data: bytes, name: str = "") -> Tokenizer:
    """The tokenizer in the content of a file; see load_tokenizer. `name` is the file's, a hint only.

    >>> tokenizer = tokenizer_from_bytes(b"[UNK]\\nhug\\n##s\\n")
    >>> tokenizer.name, [tokenizer.token_label(token_id) for token_id in tokenizer.encode("hugs").ids]
    ('WordPiece', ['hug', '##s'])
    """
    return import_tokenizer(data, name)
