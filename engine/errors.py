"""Errors caused by user input. Any other exception is a bug and may show a traceback."""

import copy
from collections.abc import Collection, Mapping
from typing import Any, Self

from engine.messages import message


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
        return self.text("en")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__new__, (type(self), self.code), self.__dict__  # subclasses take other arguments

    def text(self, language: str) -> str:
        """The message in `language`, else in English. User text in it is not escaped."""
        values = {k: v.text(language) if isinstance(v, InputError) else v for k, v in self.values.items()}
        return message(self.code, values, language)

    def fields(self) -> dict[str, Any]:
        """The error as a JSON-serializable dict, for another process."""
        values = {name: _as_json(value) for name, value in self.values.items()}
        return {"message": str(self), "code": self.code, "values": values}

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


class ModelFileError(InputError):
    """A model file is damaged, of another kind, or from a newer version of the program."""


def _as_json(value: object) -> Any:
    if isinstance(value, InputError):
        return value.fields()
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return value if isinstance(value, int | float | str) else str(value)
