"""Validation shared by the readers of our own model files."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from engine.errors import InputError, ModelFileError, has_type

_Model = TypeVar("_Model")

_INT64 = 2**63


def demand(condition: object, place: str) -> None:
    """Raise ModelFileError, which names the place in the file, unless the condition is true."""
    if not condition:
        raise ModelFileError("model_file.inconsistent", place=place)


def is_count(value: Any) -> bool:
    """Whether the value is a non-negative integer that fits int64; booleans do not count."""
    return type(value) is int and 0 <= value < _INT64


def read_model(
    data: bytes,
    magic: bytes,
    newest: int,
    parse: Callable[[], tuple[dict[str, Any], bool]],
    build: Callable[[dict[str, Any]], _Model],
) -> _Model:
    """The model in the content of a file.

    Parameters
    ----------
    magic : what such a file begins with.
    newest : the newest version that is known.
    parse : reads the header, and whether the checksum fits.
    build : makes the model of a header that is whole.

    Raises
    ------
    ModelFileError : it is no model file, is damaged, or is from a newer version.
    """
    if not data.startswith(magic):
        raise ModelFileError("model_file.other")
    try:
        header, is_whole = parse()
        version = header["version"]
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError("model_file.damaged") from None
    if isinstance(version, int) and version > newest:
        raise ModelFileError("model_file.newer", version=version, known=newest)
    if not is_whole:
        raise ModelFileError("model_file.checksum")
    try:
        return build(header)
    except ModelFileError:
        raise
    except InputError as error:
        raise ModelFileError("model_file.unusable", cause=error) from None
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        raise ModelFileError("model_file.inconsistent", place=str(error)) from None


def stored_settings(stored: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Settings as the dataclass `kind` takes them, their types checked."""
    types = {setting.name: setting.type for setting in dataclasses.fields(kind)}
    demand(set(stored) == set(types), "settings")
    for name, value in stored.items():
        demand(has_type(value, types[name]), f"settings.{name}")
    return stored | {"special_tokens": tuple(stored["special_tokens"])}
