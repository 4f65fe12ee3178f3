"""Validation shared by the readers of our own model files."""

from typing import Any

from engine.errors import ModelFileError

_INT64 = 2**63


def demand(condition: object, code: str, /, **values: object) -> None:
    """Raise ModelFileError with this code unless the condition is true."""
    if not condition:
        raise ModelFileError(code, **values)


def is_count(value: Any) -> bool:
    """Whether the value is a non-negative integer that fits int64; booleans do not count."""
    return type(value) is int and 0 <= value < _INT64


def has_type_of(value: Any, default: Any) -> bool:
    """Whether a JSON value has the type of the default; an int is a valid float, a boolean is not a number."""
    return type(value) is type(default) or (type(default) is float and type(value) is int)
