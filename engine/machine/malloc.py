"""Returning freed memory to the operating system, or keeping it.

NumPy and Numba allocate arrays on the C heap. glibc returns an array to the system only if it was allocated with mmap,
and raises the threshold for that up to 32 MB. Smaller arrays fragment the heap, because every training step needs
other sizes. A lower threshold costs page faults, which is why it is not glibc's default.
"""

import ctypes
from contextlib import suppress

# Of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_MMAP_MAX, _M_ARENA_MAX = -1, -3, -4, -8
_SMALLEST = 1 << 20  # bytes; on 10 MB of reviews 4 MB wastes 30 MB in holes, 256 kB would save another 5 MB


def give_back_large_arrays() -> None:
    """Have arrays of 1 MB or more returned to the system when freed; no effect without glibc."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _SMALLEST)


def reuse_large_arrays() -> None:
    """Keep freed arrays for the next ones, in a process that goes from block to block; no effect without glibc.

    The system clears every page that it gives, a tenth of the time that a block takes.
    """
    with suppress(AttributeError, OSError, TypeError):
        for setting, value in ((_M_MMAP_MAX, 0), (_M_TRIM_THRESHOLD, (1 << 31) - 1), (_M_ARENA_MAX, 1)):
            ctypes.CDLL(None).mallopt(setting, value)


def give_back_holes() -> None:
    """Return the unused pages of the heap, which smaller arrays left, to the system; no effect without glibc."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
