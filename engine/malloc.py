"""Memory that is free, given back to the system.

NumPy's and Numba's arrays come from the C library's heap. glibc raises the size from which an array is given back as
soon as it is free, up to 32 MB, and what is smaller leaves holes: the steps of a training need arrays of other sizes
each time. Fresh pages cost the system's time, which is why this is not the C library's own choice.
"""

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD = -3  # of glibc's malloc.h
_SMALLEST = 1 << 20  # bytes; 4 MB leave holes of 30 MB in 10 MB of reviews, 256 kB save 5 MB more


def give_back_large_arrays() -> None:
    """From now on arrays of 1 MB or more go back to the system when they are free; nothing is done without glibc."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _SMALLEST)
