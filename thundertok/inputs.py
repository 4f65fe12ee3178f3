"""What functions take for models: references, files or objects."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from engine.tokenizer import Tokenizer
from thundertok.models import LoadedModel, load

ModelLike: TypeAlias = LoadedModel | Tokenizer | str | Path
Models: TypeAlias = ModelLike | Iterable[ModelLike] | Mapping[str, ModelLike]


def as_model(given: ModelLike) -> LoadedModel:
    """The model; a reference or a path is loaded, with the errors of `load`."""
    if isinstance(given, LoadedModel):
        return given
    return load(given) if isinstance(given, str | Path) else LoadedModel(given)


def as_models(given: Models) -> dict[str, Tokenizer]:
    """Tokenizers by name: that of a mapping, else their reference; the second of one name is `name (2)`."""
    if isinstance(given, Mapping):
        return {name: as_model(one).tokenizer for name, one in given.items()}
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    found: dict[str, Tokenizer] = {}
    for model in map(as_model, several):
        found[_unused(model.reference, found)] = model.tokenizer
    return found


def _unused(name: str, taken: Mapping[str, object]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found
