"""Packing a model's arrays tightly and without loss: bytes of one rank together, then xz.

A token's number in a round is near its number in the next, so rounds before the last keep differences. They are taken
between the leading bits of the numbers, read as whole numbers, which is what `compact` leaves of them.
"""

import lzma
from collections.abc import Mapping, Sequence

import numpy as np

# What stands before a byte in its plane, or where it stands, tells nothing about it (lc, pb).
_FILTER = {"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0}
_MOST_MEMORY = 40_000_000  # bytes, of unpacking: the dictionary and what xz needs beside it
# Lower bits of a float64 that `compact` leaves at zero.
_LOW_BITS = 41


def pack(arrays: Sequence[np.ndarray]) -> bytes:
    """The arrays one after the other, packed."""
    return lzma.compress(b"".join(map(_planes, arrays)), filters=[_FILTER])


def unpack(data: bytes, shapes: Sequence[tuple[str, int]]) -> list[np.ndarray]:
    """What `pack` was given.

    Parameters
    ----------
    shapes : dtype and size of each; nothing more than they say is ever unpacked.

    Raises
    ------
    ValueError : the data are of other sizes, or no packed data.
    """
    kinds = [np.dtype(name).newbyteorder("<") for name, _ in shapes]
    n_bytes = sum(kind.itemsize * size for kind, (_, size) in zip(kinds, shapes, strict=True))
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
    try:
        plain = unpacker.decompress(data, n_bytes + 1)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from None
    if len(plain) != n_bytes or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{n_bytes:,} bytes are packed, says the header")
    arrays = []
    at = 0
    for kind, (_, size) in zip(kinds, shapes, strict=True):
        planes = np.frombuffer(plain, np.uint8, kind.itemsize * size, at).reshape(kind.itemsize, size)
        arrays.append(np.ascontiguousarray(planes.T).view(kind).reshape(size).astype(kind.newbyteorder("=")))
        at += planes.size
    return arrays


def differences(columns: Mapping[int, np.ndarray], died: np.ndarray) -> dict[int, np.ndarray]:
    """A column of the rounds before the last as differences to the next round (uint32), survivors first.

    Parameters
    ----------
    columns : float64[tokens of the round] by number of the round, the last one among them.
    died : int16[n_rows], the round at whose end a row was removed, -1 for none.
    """
    packed = {}
    for number in sorted(columns)[:-1]:
        survives = _survivors(died, number)
        words, after = _words(columns[number]), _words(columns[number + 1])
        packed[number] = _interleave(np.concatenate([words[survives] - after, words[~survives]]))
    return packed


def from_differences(packed: Mapping[int, np.ndarray], last: np.ndarray, died: np.ndarray) -> dict[int, np.ndarray]:
    """What `differences` was given, from the last round back."""
    numbers = sorted(packed)
    columns = {numbers[-1] + 1: last} if numbers else {}
    for number in reversed(numbers):
        survives = _survivors(died, number)
        after = _words(columns[number + 1])
        stored = _separate(packed[number])
        if stored.size != survives.size or after.size != survives.sum():
            raise ValueError(f"round {number} has another number of tokens")
        words = np.empty_like(stored)
        words[survives] = stored[: after.size] + after
        words[~survives] = stored[after.size :]
        columns[number] = (words.astype(np.uint64) << np.uint64(_LOW_BITS)).view(np.float64)
    return columns


def _survivors(died: np.ndarray, number: int) -> np.ndarray:
    """Of the tokens of a round, which are in the next (bool)."""
    return died[(died == -1) | (died >= number)] != number


def _words(column: np.ndarray) -> np.ndarray:
    return (column.view(np.uint64) >> np.uint64(_LOW_BITS)).astype(np.uint32)


def _interleave(difference: np.ndarray) -> np.ndarray:
    """Small numbers of either sign as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    signed = difference.view(np.int32)
    return ((signed << 1) ^ (signed >> 31)).view(np.uint32)


def _separate(number: np.ndarray) -> np.ndarray:
    return (number >> np.uint32(1)) ^ (np.uint32(0) - (number & np.uint32(1)))


def _planes(array: np.ndarray) -> bytes:
    """The lowest bytes of all items, then the next ones, and so on."""
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return little.view(np.uint8).reshape(array.size, array.itemsize).T.tobytes()
