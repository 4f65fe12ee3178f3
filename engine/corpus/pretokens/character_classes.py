"""What kind of character a code point is: all that pre-tokenization asks about it."""

from functools import cache

import numpy as np
import regex

# Bits, so that kernels can ask for one of several classes: `classes[c] & (LETTER | NUMBER)`. Compiled kernels hold
# these numbers, so this file is one of their sources: `engine._jit` knows those by its name in them.
OTHER, LETTER, NUMBER, SPACE = 1, 2, 4, 8


@cache
def character_classes() -> np.ndarray:
    r"""uint8[0x110000]: `classes[c]` is LETTER (\p{L}), NUMBER (\p{N}), SPACE (\s) or OTHER, as `regex` sees it."""
    classes = np.full(0x110000, OTHER, dtype=np.uint8)
    codes = np.concatenate([np.arange(0xD800, dtype="<u4"), np.arange(0xE000, 0x110000, dtype="<u4")])
    everything = codes.tobytes().decode("utf-32-le")
    for value, pattern in ((LETTER, r"\p{L}+"), (NUMBER, r"\p{N}+"), (SPACE, r"\s+")):
        for match in regex.finditer(pattern, everything):
            # After the surrogates, an index into `everything` is 0x800 too small; no run crosses that gap
            # because its neighbours are a Hangul letter block's unassigned end and the private use area.
            first, last = (ord(everything[match.start()]), ord(everything[match.end() - 1]))
            classes[first : last + 1] = value
    classes[0xD800:0xE000] = OTHER
    return classes
