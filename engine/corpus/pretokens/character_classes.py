"""Character classes of code points, for pre-tokenization."""

from functools import cache

import numpy as np
import regex

# Bits, so that kernels can test several classes at once: `classes[c] & (LETTER | NUMBER)`. Kernels are compiled with
# these constants, so this file must be in their source hash: `engine._jit` hashes every file that contains its name.
OTHER, LETTER, NUMBER, SPACE, UPPER, LOWER = 1, 2, 4, 8, 16, 32


# Patterns, and the bits that they flip, in the classes of a code point that begin as OTHER.
_FLIPS = (
    (r"\p{L}+", OTHER | LETTER | UPPER | LOWER),
    (r"\p{N}+", OTHER | NUMBER),
    (r"\s+", OTHER | SPACE),
    (r"\p{M}+", UPPER | LOWER),
    (r"\p{Ll}+", UPPER),
    (r"\p{Lu}+", LOWER),
    (r"\p{Lt}+", LOWER),
)


_BASIC, _ALL = 0x10000, 0x110000


def classes_for(codes: np.ndarray) -> np.ndarray:
    """`character_classes` as far as the code points go: in the basic plane, as nearly all do, they are soon found."""
    return character_classes(_BASIC) if codes.max(initial=0) < _BASIC else character_classes()


@cache
def character_classes(end: int = _ALL) -> np.ndarray:
    r"""uint8[end]: the classes of each code point, according to `regex`.

    One of LETTER (`\p{L}`), NUMBER (`\p{N}`), SPACE (`\s`) and OTHER. Letters and marks also have those of o200k's
    pattern: UPPER (`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`), LOWER (`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`) or both.
    """
    codes = np.concatenate([np.arange(0xD800, dtype="<u4"), np.arange(0xE000, end, dtype="<u4")])
    everything = codes.tobytes().decode("utf-32-le")
    of_codes = np.full(codes.size, OTHER, dtype=np.uint8)
    for pattern, bits in _FLIPS:
        for match in regex.finditer(pattern, everything):
            of_codes[match.start() : match.end()] ^= bits
    classes = np.full(end, OTHER, dtype=np.uint8)
    classes[codes] = of_codes
    return classes
