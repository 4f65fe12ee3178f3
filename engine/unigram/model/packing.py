"""Lossless compression of a model's arrays: byte planes, then xz.

A token's statistics change little from round to round, so rounds before the last are stored as differences between the
leading bits that `compact` keeps, read as integers.
"""

import lzma
from collections.abc import Mapping, Sequence

import numpy as np

# In a byte plane, neither the previous byte (lc) nor the position (pb) predicts the next byte.
_FILTER = {"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0}
_MOST_MEMORY = 40_000_000  # bytes for decompression: the dictionary and overhead
# Low bits of a float64 that `compact` sets to zero.
_LOW_BITS = 41


def pack(arrays: Sequence[np.ndarray]) -> bytes:
    """Compress the arrays, concatenated."""
    return lzma.compress(b"".join(map(_planes, arrays)), filters=[_FILTER])


def unpack(data: bytes, shapes: Sequence[tuple[str, int]]) -> list[np.ndarray]:
    """Inverse of `pack`.

    Parameters
    ----------
    shapes : dtype and size of each array; they limit how much is decompressed.

    Raises
    ------
    ValueError : the data are not valid, or do not match the sizes.
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
    """A column of the rounds before the last, as differences to the next round (uint32), survivors first.

    Parameters
    ----------
    columns : float64[tokens of the round] by round number, including the last round.
    died : int16[n_rows], the round at whose end a row was removed, or -1.
    """
    packed = {}
    for number in sorted(columns)[:-1]:
        survives = _survivors(died, number)
        words, after = _words(columns[number]), _words(columns[number + 1])
        packed[number] = _interleave(np.concatenate([words[survives] - after, words[~survives]]))
    return packed


def from_differences(packed: Mapping[int, np.ndarray], last: np.ndarray, died: np.ndarray) -> dict[int, np.ndarray]:
    """Inverse of `differences`, computed backwards from the last round."""
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
    """bool per token of a round: whether it is in the next round."""
    return died[(died == -1) | (died >= number)] != number


def _words(column: np.ndarray) -> np.ndarray:
    return (column.view(np.uint64) >> np.uint64(_LOW_BITS)).astype(np.uint32)


def _interleave(difference: np.ndarray) -> np.ndarray:
    """Zigzag encoding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    signed = difference.view(np.int32)
    return ((signed << 1) ^ (signed >> 31)).view(np.uint32)


def _separate(number: np.ndarray) -> np.ndarray:
    return (number >> np.uint32(1)) ^ (np.uint32(0) - (number & np.uint32(1)))


def _planes(array: np.ndarray) -> bytes:
    """The lowest bytes of all items, then the second-lowest, and so on."""
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return little.view(np.uint8).reshape(array.size, array.itemsize).T.tobytes()
