"""What the readers of our own model files have in common: rules that whatever is in a file must keep."""

from typing import Any

from engine.errors import ModelFileError

_INT64 = 2**63


def demand(condition: object, code: str, /, **values: object) -> None:
    """ModelFileError of that code unless the condition is true."""
    if not condition:
        raise ModelFileError(code, **values)


def is_count(value: Any) -> bool:
    """Whether the value is a whole number of at least 0 that an array can hold; true and false are none."""
    return type(value) is int and 0 <= value < _INT64


def has_type_of(value: Any, default: Any) -> bool:
    """Whether a value of JSON has the type of the default: 1 is a float as well, true is no number."""
    return type(value) is type(default) or (type(default) is float and type(value) is int)
