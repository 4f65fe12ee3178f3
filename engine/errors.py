"""Errors caused by user input. Any other exception is a bug and may show a traceback."""

import copy
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sized
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin

from engine.messages import message

# Options of commands but of those that no function has.
_OPTION = re.compile(r"(?<![\w-])--(?!stream|dask|server)([a-z][a-z-]*)")


class InputError(ValueError):
    """The input cannot be used. The one-line message says what is wrong and how to fix it.

    Parameters
    ----------
    code : key of the message in `assets/i18n/error.toml`, for example `pattern.invalid`.
    values : fill its {placeholders}. An InputError among them is rendered in the same language; `what` is the key of a
        phrase (`algorithm` for `error.what.algorithm`).
    """

    def __init__(self, code: str, /, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def __str__(self) -> str:
        """The English message with what Python calls an option: `gold` for `--gold`."""
        return _OPTION.sub(lambda option: option[1].replace("-", "_"), self.text("en"))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__new__, (type(self), self.code), self.__dict__  # subclasses take other arguments

    def text(self, language: str) -> str:
        """The message in `language`, else in English. User text in it is not escaped."""
        values = {k: v.text(language) if isinstance(v, InputError) else v for k, v in self.values.items()}
        return message(self.code, values, language)

    def fields(self) -> dict[str, Any]:
        """The error as a JSON-serializable dict, for another process."""
        values = {name: _as_json(value) for name, value in self.values.items()}
        return {"message": self.text("en"), "code": self.code, "values": values}

    def again(self) -> Self:
        """A copy to raise: the traceback of a raised error keeps all its frames alive."""
        return copy.copy(self)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> "InputError":
        """Restore an error from the `fields` of another process."""
        values = {k: cls.from_fields(v) if isinstance(v, dict) else v for k, v in fields["values"].items()}
        return InputError(fields["code"], **values)


def require_choice(what: str, value: str, choices: Collection[str]) -> None:
    """Raise InputError for a value that is none of the choices; `what` as of InputError."""
    if value not in choices:
        raise InputError("choice.unknown", what=what, value=value, choices=", ".join(choices))


def require_between(what: str, value: float, low: float, high: float) -> None:
    """Raise InputError for a number out of range; `what` as of InputError."""
    if not low <= value <= high:
        raise InputError("setting.range", what=what, low=low, high=high, value=value)


class WrongTypeError(InputError, TypeError):
    """A function was given a value of another type than it takes, or an argument that it does not have."""


def require_type(function: str, name: str, value: object, kind: Any) -> None:
    """Raise WrongTypeError for an argument that is not what its annotation says."""
    if not has_type(value, kind):
        expected = kind.__name__ if isinstance(kind, type) else re.sub(r"\w+\.", "", str(kind))
        items = _items(value) or []
        given = type(value).__name__ + " of " * bool(items) + ", ".join(sorted({type(item).__name__ for item in items}))
        facts = {"function": function, "name": name, "expected": expected, "given": given}
        if items and all(has_type(item, kind) for item in items):
            raise WrongTypeError("argument.each", **facts)
        raise WrongTypeError("argument.type", **facts)


def has_type(value: object, kind: Any) -> bool:
    """Whether a value is what an annotation says; NumPy's numbers are numbers, whatever has an order is a Sequence.

    >>> has_type([1, 2], list[int]), has_type("12", list[str]), has_type(True, int)
    (True, False, False)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(has_type(value, part) for part in parts)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(has_type(item, parts[1]) for item in value.values())
    if origin is not None:
        items = _items(value)
        if origin is tuple and parts[-1] is not ...:
            return items is not None and len(items) == len(parts) and all(map(has_type, items, parts))
        return items is not None and all(has_type(item, parts[0]) for item in items)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if kind is bool:
        return type(value).__name__ in ("bool", "bool_")  # the latter is NumPy's
    return kind is Any or isinstance(value, {None: NoneType, Path: os.PathLike}.get(kind, kind))


def _items(value: object) -> list[object] | None:
    """The items of a sequence, none of what can be read only once; None for any other value."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) != 1:
        return None
    return list(value) if isinstance(value, Sized) else []


class ModelFileError(InputError):
    """A model file is damaged, of another kind, or from a newer version of the program."""


def _as_json(value: object) -> Any:
    if isinstance(value, InputError):
        return value.fields()
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return value if isinstance(value, int | float | str) else str(value)
