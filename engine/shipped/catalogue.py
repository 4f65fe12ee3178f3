"""The shipped models, their training data and settings. Loads none of them."""

import hashlib
import json
import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.config import TrainingSettings
from engine.errors import InputError, ModelFileError
from engine.interop.formats import import_tokenizer
from engine.machine.atomic_file import read_file
from engine.tokenizer import Tokenizer

SHIPPED = "shipped:"
"""What a reference to one begins with: `shipped:thunder-tok-32k`."""

MODELS = Path(__file__).resolve().parents[2] / "assets" / "models"
MANIFEST = MODELS / "manifest.json"


class ShippedModel(NamedTuple):
    """Facts about one model.

    Attributes
    ----------
    name : `thunder-tok-32k`; its reference is `shipped:` and the name.
    file : in assets/models; compressed if it ends in .xz.
    size : bytes of the file.
    sha256 : of the file.
    settings : training settings.
    vocab_size : number of tokens, including the bytes.
    fertility : tokens per white-space-separated word on held-back lines, by register and for `all`.
    """

    name: str
    file: str
    size: int
    sha256: str
    settings: TrainingSettings
    vocab_size: int
    fertility: Mapping[str, float]

    @property
    def reference(self) -> str:
        """Name of the model in commands and links."""
        return SHIPPED + self.name

    @property
    def path(self) -> Path:
        """Path of its file."""
        return MODELS / self.file


@cache
def shipped_models() -> dict[str, ShippedModel]:
    """All models in the manifest, by name."""
    models = [
        ShippedModel(**entry | {"settings": TrainingSettings(**entry["settings"])}) for entry in manifest()["models"]
    ]
    return {model.name: model for model in models}


@cache
def manifest() -> dict[str, Any]:
    """The manifest: `corpus` (registers with lines, bytes, licence and source) and `models`."""
    content: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return content


def find_shipped(name: str) -> ShippedModel:
    """The facts by name; InputError if there is none of that name."""
    if name not in shipped_models():
        raise InputError("shipped.unknown", name=name, known=", ".join(shipped_models()))
    return shipped_models()[name]


def load_shipped(name: str) -> Tokenizer:
    """The model of that name; InputError if there is none of that name, or its file is damaged or missing."""
    return import_tokenizer(shipped_content(name))


def shipped_content(name: str) -> bytes:
    """The uncompressed content of its model file; InputError as in `load_shipped`."""
    model = find_shipped(name)
    data = read_file(model.path, ModelFileError)
    if hashlib.sha256(data).hexdigest() != model.sha256:
        raise ModelFileError("model_file.damaged")
    return lzma.decompress(data) if model.file.endswith(".xz") else data
