"""Numbers on the command line: finite, within bounds, and of a size that can be computed with."""

import argparse
import math
from collections.abc import Callable

_MOST = 2**31 - 1


def whole_number(least: int = 0, most: int = _MOST) -> Callable[[str], int]:
    """The `type` of an option that takes a whole number within these bounds."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"give a whole number from {least} to {most}, got {text[:40]!r}")
        return value

    return read


def seconds(text: str) -> float:
    """The `type` of an option that takes a positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"give a positive number of seconds, got {text[:40]!r}")
    return value
