"""Validation shared by the readers of our own model files."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from engine.errors import InputError, ModelFileError

_Model = TypeVar("_Model")

_INT64 = 2**63


def demand(condition: object, place: str) -> None:
    """Raise ModelFileError, which names the place in the file, unless the condition is true."""
    if not condition:
        raise ModelFileError("model_file.inconsistent", place=place)


def is_count(value: Any) -> bool:
    """Whether the value is a non-negative integer that fits int64; booleans do not count."""
    return type(value) is int and 0 <= value < _INT64


def has_type_of(value: Any, default: Any) -> bool:
    """Whether a JSON value has the type of the default; an int is a valid float, a boolean is not a number."""
    return type(value) is type(default) or (type(default) is float and type(value) is int)


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


def stored_settings(stored: dict[str, Any], kind: type[Any], may_lack: Iterable[str] = ()) -> dict[str, Any]:
    """Settings as the dataclass `kind` takes them, their types checked; `may_lack`: those that may be None."""
    special = stored["special_tokens"]
    demand(isinstance(special, list) and all(isinstance(text, str) for text in special), "settings.special_tokens")
    settings = stored | {"special_tokens": tuple(special)}
    defaults = {setting.name: setting.default for setting in dataclasses.fields(kind)}
    demand(set(settings) == set(defaults), "settings")
    for name, default in defaults.items():
        value = settings[name]
        fits = (value is None and name in may_lack) or has_type_of(value, 0 if default is None else default)
        demand(fits, f"settings.{name}")
    return settings
