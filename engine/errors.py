"""The errors that a user can cause. Everything else is a defect and is allowed to be a traceback."""

from collections.abc import Mapping
from typing import Any, Self


class InputError(ValueError):
    """What was given cannot be used. The message says what was wrong and what to do, in one line.

    Parameters
    ----------
    message : the sentence in English; with a `code`, its {placeholders} are filled with `values`.
    code : names the sentence where it has translations, `pattern.invalid` say.
    values : what the sentence quotes. One that is an InputError itself is translated with it, and so is `what`, which
        is always a phrase of ours.
    """

    def __init__(self, message: str = "", *, code: str = "", **values: object) -> None:
        super().__init__(message.format(**values) if code else message)
        self.code = code
        self.values = values

    def fields(self) -> dict[str, Any]:
        """The error as JSON can hold it, for another process."""
        values = {name: _as_json(value) for name, value in self.values.items()}
        return {"message": str(self), "code": self.code, "values": values}

    def again(self) -> Self:
        """A copy to raise: an error that was raised keeps alive all that it came through."""
        copy = type(self).__new__(type(self), *self.args)
        copy.__dict__.update(self.__dict__)
        return copy

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """The error that another process had."""
        error = cls(str(fields["message"]))
        error.code = str(fields.get("code", ""))
        values = fields.get("values", {})
        error.values = {k: cls.from_fields(v) if isinstance(v, dict) else v for k, v in values.items()}
        return error


class ModelFileError(InputError):
    """A model file is damaged, of another kind, or from a newer version of the program."""


def _as_json(value: object) -> Any:
    if isinstance(value, InputError):
        return value.fields()
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return value if isinstance(value, int | float | str) else str(value)
