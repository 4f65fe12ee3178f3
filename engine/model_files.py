"""Opening any model file of ours: the file itself says what it is."""

from pathlib import Path
from typing import Any

from engine.errors import ModelFileError
from engine.merges.model_file import load_merge_model
from engine.unigram.model_file import MAGIC, load_model


def load_tokenizer(path: str | Path) -> Any:
    """The tokenizer in a model file, whatever trained it.

    Raises
    ------
    ModelFileError : it cannot be read, is damaged, from a newer version, or no model file at all.
    """
    try:
        with Path(path).open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror or error}; check the path") from None
    if head == MAGIC:
        return load_model(path)
    return load_merge_model(path)
