"""Reading untrusted text and JSON: every field is checked, and error messages name its place."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from engine.corpus.reading.encodings import likely_encoding
from engine.errors import ModelFileError

MAX_FILE_BYTES = 64 << 20
_MAX_STEPS = 200
_MOST_POWER = 308  # of ten, in a double

Fields = dict[str, Any]
_Step = TypeVar("_Step")


def utf8_text(data: bytes) -> str:
    """The text in the file; ModelFileError if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError("import.not_utf8", offset=error.start, likely=likely_encoding(data)) from None


def parse_json(data: bytes) -> Fields:
    """The object in the file.

    Raises
    ------
    ModelFileError : the file is too large, not JSON, nested too deeply, not an object, or contains NaN or Infinity.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ModelFileError("tokenizer_json.size", size=len(data), most=MAX_FILE_BYTES)
    try:
        content = json.loads(utf8_text(data), parse_constant=_no_number, parse_float=read_float)
    except ModelFileError:  # from utf8_text, _no_number
        raise
    except RecursionError:
        raise ModelFileError("tokenizer_json.nested") from None
    except ValueError:
        raise ModelFileError("json.damaged") from None
    if not isinstance(content, dict):
        raise ModelFileError("json.object")
    return content


def read_float(text: str) -> float:
    """A number as `tokenizers` reads it (serde_json): its digits as a double, then times or by a power of ten."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    digits = (whole + decimals).lstrip("0")
    size = 20 if int(digits[:20] or 0) < 1 << 64 else 19  # more digits than 64 bits hold are dropped
    value = float(int(digits[:size] or 0))
    power = int(exponent or 0) - len(decimals) + max(0, len(digits) - size)
    while power < -_MOST_POWER and value:
        value, power = value / 10.0**_MOST_POWER, power + _MOST_POWER
    if power >= 0:
        value *= 10.0**power if power <= _MOST_POWER else math.inf if value else 1.0
    else:
        value /= 10.0 ** min(-power, _MOST_POWER)
    return -value if mantissa.startswith("-") else value


def _no_number(name: str) -> NoReturn:
    raise ModelFileError("json.number", name=name)


def text_of(fields: Fields, key: str, place: str, default: str | None = None) -> str:
    """A string."""
    value = fields.get(key, default)
    # JSON can encode a lone surrogate, which no valid text contains.
    if not isinstance(value, str) or any(0xD800 <= ord(character) < 0xE000 for character in value):
        raise ModelFileError("inconsistent.value", place=f"{place}.{key}")
    return value


def optional_text(fields: Fields, key: str, place: str) -> str | None:
    """A string, or None where it is null or missing."""
    return None if fields.get(key) is None else text_of(fields, key, place)


def flag(fields: Fields, key: str, place: str, default: bool) -> bool:
    """true or false."""
    value = fields.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise ModelFileError("inconsistent.value", place=f"{place}.{key}")
    return value


def number_of(fields: Fields, key: str, place: str, high: int, default: int | None = None) -> int:
    """A whole number from 0 to `high`."""
    value = fields.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= high:
        raise ModelFileError("inconsistent.value", place=f"{place}.{key}")
    return value


def list_of(fields: Fields, key: str, place: str) -> list[Any]:
    """A list; empty where it is null or missing."""
    value = fields.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ModelFileError("inconsistent.value", place=f"{place}.{key}")
    return value


def object_of(value: Any, place: str) -> Fields:
    """An object."""
    if not isinstance(value, dict):
        raise ModelFileError("inconsistent.value", place=place)
    return value


def one_of(fields: Fields, key: str, place: str, choices: Sequence[str], default: str | None = None) -> str:
    """One of the choices."""
    value = text_of(fields, key, place, default)
    if value not in choices:
        raise ModelFileError("inconsistent.value", place=f"{place}.{key}")
    return value


def build_steps(
    part: Any,
    place: str,
    unsupported: list[str],
    what: str,
    inner_key: str,
    kinds: Mapping[str, Callable[[Fields, str], list[_Step]]],
) -> list[_Step]:
    """The steps of a part of the file, those of a Sequence in order; none where the part is null.

    Parameters
    ----------
    part : JSON of the part.
    place : its place in the file.
    unsupported : unsupported steps are appended here, with their place.
    what : name of the part.
    inner_key : key of the parts in a Sequence.
    kinds : by type, a function from fields and place to steps.

    Raises
    ------
    ModelFileError : the part is inconsistent.
    """
    if part is None:
        return []
    fields = object_of(part, place)
    kind = text_of(fields, "type", place)
    if kind == "Sequence":
        inner_parts = list_of(fields, inner_key, place)
        if len(inner_parts) > _MAX_STEPS:
            raise ModelFileError("inconsistent.steps", place=f"{place}.{inner_key}", most=_MAX_STEPS)
        return [
            step
            for i, inner in enumerate(inner_parts)
            for step in build_steps(inner, f"{place}.{inner_key}[{i}]", unsupported, what, inner_key, kinds)
        ]
    if kind in kinds:
        return kinds[kind](fields, place)
    unsupported.append(f"{place}: the {what} {kind[:40]!r} is left out")
    return []
