"""Loading the shipped models."""

import hashlib
import lzma

from engine.errors import ModelFileError
from engine.interop.formats import import_tokenizer
from engine.machine.atomic_file import read_file
from engine.shipped.catalogue import find_shipped
from engine.tokenizer import Tokenizer


def load_shipped(name: str) -> Tokenizer:
    """The model of that name.

    Raises
    ------
    InputError : there is none of that name, or its file is damaged or missing.
    """
    return import_tokenizer(shipped_content(name))


def shipped_content(name: str) -> bytes:
    """The uncompressed content of its model file; InputError as in `load_shipped`."""
    model = find_shipped(name)
    data = read_file(model.path, ModelFileError)
    if hashlib.sha256(data).hexdigest() != model.sha256:
        raise ModelFileError("model_file.damaged")
    return lzma.decompress(data) if model.file.endswith(".xz") else data
