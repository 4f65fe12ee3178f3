"""Token ids as people paste them: `12, 34`, `[12 34]`, `#12`."""

import re

from engine.errors import InputError

_PART = re.compile(r"[^\s,;#\[\](){}]+")
_MAX_SHOWN = 20


def has_only_ids(text: str) -> bool:
    """Whether a text is several numbers and nothing else, or one after a #."""
    parts = _PART.findall(text)
    return len(parts) > ("#" not in text) and all(part.isdecimal() for part in parts)


def read_ids(text: str, vocab_size: int) -> list[int]:
    """The ids in a text.

    Raises
    ------
    InputError : something in it is not a number, or not an id of a vocabulary of this size.

    Examples
    --------
    >>> read_ids("[3, 1]", 4)
    [3, 1]
    """
    ids = []
    for part in _PART.findall(text):
        if not part.removeprefix("-").isdecimal():
            raise InputError("ids.number", part=part[:_MAX_SHOWN])
        if part.startswith("-") or len(part) > _MAX_SHOWN or int(part) >= vocab_size:
            raise InputError("ids.range", token_id=part[:_MAX_SHOWN], size=vocab_size, last=vocab_size - 1)
        ids.append(int(part))
    return ids
