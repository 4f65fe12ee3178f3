"""UTF-8 as code points, without a str for every line on the way: a corpus has millions of them."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from engine._jit import kernel
from engine.corpus.reading.lines import split_lines


@kernel
def _decoded(data, codes, bounds):
    """Write the code points of all lines and where they begin and end; return their numbers, or -1: not UTF-8."""
    n_codes, n_lines, i = 0, 0, 0
    bounds[0] = 0
    while i < data.size:
        code = np.int32(data[i])
        i += 1
        if code < 0x80:
            if code == 10 or code == 13:
                if code == 13 and i < data.size and data[i] == 10:
                    i += 1
                n_lines += 1
                bounds[n_lines] = n_codes
            else:
                codes[n_codes] = code
                n_codes += 1
            continue
        size = 1 + (code >= 0xC2) + (code >= 0xE0) + (code >= 0xF0)
        if size == 1 or i + size - 1 > data.size:
            return -1, -1
        code &= 0x7F >> size
        for _ in range(size - 1):
            if data[i] & 0xC0 != 0x80:
                return -1, -1
            code = code << 6 | data[i] & 0x3F
            i += 1
        if (size == 3 and (code < 0x800 or 0xD800 <= code < 0xE000)) or (size == 4 and not 0x10000 <= code <= 0x10FFFF):
            return -1, -1
        codes[n_codes] = code
        n_codes += 1
    if n_codes > bounds[n_lines]:  # the last line has no end
        n_lines += 1
        bounds[n_lines] = n_codes
    return n_codes, n_lines


def frozen(chars: np.ndarray) -> np.ndarray:
    """A read-only view: the characters of a text are read-only, and writable ones would need kernels of their own."""
    view = chars.view()
    view.flags.writeable = False
    return view


class DecodedLines(Sequence[str]):
    """`split_lines` of a text in UTF-8, split only where one of them is asked for; UnicodeError if it is not UTF-8.

    Attributes
    ----------
    codes : int32[n_chars], code points of all lines, concatenated.
    bounds : int64[n_lines + 1], where each begins in `codes` and the last one ends.
    """

    def __init__(self, data: bytes) -> None:
        codes = np.empty(len(data), dtype=np.int32)
        bounds = np.empty(data.count(b"\n") + data.count(b"\r") + 2, dtype=np.int64)
        n_codes, n_lines = _decoded(np.frombuffer(data, dtype=np.uint8), codes, bounds)
        self._data = data
        if n_codes < 0:
            data.decode()  # says what is wrong
        self.codes, self.bounds = frozen(codes[:n_codes]), bounds[: n_lines + 1]

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self._data.decode())

    def __len__(self) -> int:
        return self.bounds.size - 1

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._lines[place]
