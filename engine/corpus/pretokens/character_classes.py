"""Character classes of code points, for pre-tokenization."""

from functools import cache

import numpy as np
import regex

# Bits, so that kernels can test several classes at once: `classes[c] & (LETTER | NUMBER)`. Kernels are compiled with
# these constants, so this file must be in their source hash: `engine._jit` hashes every file that contains its name.
OTHER, LETTER, NUMBER, SPACE = 1, 2, 4, 8


@cache
def character_classes() -> np.ndarray:
    r"""uint8[0x110000]: `classes[c]` is LETTER (\p{L}), NUMBER (\p{N}), SPACE (\s) or OTHER, according to `regex`."""
    classes = np.full(0x110000, OTHER, dtype=np.uint8)
    codes = np.concatenate([np.arange(0xD800, dtype="<u4"), np.arange(0xE000, 0x110000, dtype="<u4")])
    everything = codes.tobytes().decode("utf-32-le")
    for value, pattern in ((LETTER, r"\p{L}+"), (NUMBER, r"\p{N}+"), (SPACE, r"\s+")):
        for match in regex.finditer(pattern, everything):
            # `ord`, because indexes after the surrogates are 0x800 too small. No run crosses that gap: its neighbours
            # are unassigned code points after the Hangul syllables and the private use area.
            first, last = (ord(everything[match.start()]), ord(everything[match.end() - 1]))
            classes[first : last + 1] = value
    classes[0xD800:0xE000] = OTHER
    return classes
