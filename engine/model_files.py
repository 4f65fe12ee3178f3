"""Opening any model file of ours: the file itself says what it is."""

from pathlib import Path
from typing import Any

from engine.errors import ModelFileError
from engine.merges.model_file import merge_model_from_bytes
from engine.unigram.model_file import MAGIC, model_from_bytes


def load_tokenizer(path: str | Path) -> Any:
    """The tokenizer in a model file, whatever trained it.

    Raises
    ------
    ModelFileError : it cannot be read, is damaged, from a newer version, or no model file at all.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror or error}; check the path") from None
    return tokenizer_from_bytes(data)


def tokenizer_from_bytes(data: bytes) -> Any:
    """The tokenizer in the content of a model file; see load_tokenizer."""
    return model_from_bytes(data) if data.startswith(MAGIC) else merge_model_from_bytes(data)
