"""The normalizer `Precompiled`: SentencePiece's character map, applied as the crate spm_precompiled does.

SentencePiece itself replaces the longest match at every position; see `engine.interop.sentencepiece.normalizer`.
"""

import base64
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.errors import ModelFileError
from engine.interop.imported.aligned_text import AlignedText, clusters, map_parts

# The longest replacement in Unicode's compatibility decompositions has 18 characters.
_LONGEST_REPLACEMENT = 1024
_CLUSTER_BYTES = 6  # longer clusters are replaced character by character


class Charsmap(NamedTuple):
    """The character map."""

    units: np.ndarray  # uint32[n], the double array
    strings: np.ndarray  # uint8[m], the replacements, each terminated by a zero byte


def read_charsmap(blob: bytes) -> Charsmap:
    """The map that a model or tokenizer.json carries; an empty one for no bytes.

    Raises
    ------
    ModelFileError : the map is damaged, or a replacement is too long.
    """
    if not blob:
        return Charsmap(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8))
    size = int.from_bytes(blob[:4], "little")
    strings = blob[4 + size :]
    if len(blob) < 8 or size % 4 or size == 0 or 4 + size >= len(blob) or not strings.endswith(b"\0"):
        raise ModelFileError("sentencepiece.normalization")
    if max(map(len, strings.split(b"\0"))) > _LONGEST_REPLACEMENT:
        raise ModelFileError("sentencepiece.replacement", most=_LONGEST_REPLACEMENT)
    units = np.frombuffer(blob[4 : 4 + size], dtype="<u4").astype(np.uint32)
    return Charsmap(units, np.frombuffer(strings, dtype=np.uint8).copy())


def precompile(charsmap: str) -> Callable[[AlignedText], AlignedText]:
    """The normalizer of a map, which is in Base64.

    A grapheme cluster of fewer than six bytes becomes what the map has for its shortest prefix; else each of its
    characters does, or stays.

    Raises
    ------
    ModelFileError : the map is damaged; the normalizer raises it too.
    """
    try:
        units, strings = read_charsmap(base64.b64decode(charsmap, validate=True))
    except ValueError:
        raise ModelFileError("sentencepiece.normalization") from None
    replacements = strings.tobytes()

    def normalize(source: AlignedText) -> AlignedText:
        made: dict[str, str | None] = {}

        def replacement(part: str) -> str | None:
            if part not in made:
                made[part] = _replacement(part.encode(), units, replacements)
            return made[part]

        parts: list[str] = []
        for cluster in clusters(source.text):
            is_short = len(cluster.encode()) < _CLUSTER_BYTES
            parts += [cluster] if is_short and replacement(cluster) is not None else cluster
        return map_parts(source, parts, lambda part: part if (new := replacement(part)) is None else new)

    return normalize


def _replacement(key: bytes, units: np.ndarray, strings: bytes) -> str | None:
    """What the map has for the shortest prefix of the key; None for nothing.

    A unit of the double array (darts-clone): bits 0 to 7 and 31 are its label, bit 8 says that a value follows, bits 10
    to 30 are the offset to its children, in steps of 256 where bit 9 is set.
    """

    def unit_at(place: int) -> int:
        return int(units[place]) if place < units.size else 0

    node, unit = 0, unit_at(0)
    for byte in key:
        node ^= ((unit >> 10) << ((unit & 512) >> 6)) ^ byte
        unit = unit_at(node)
        if not byte or unit & 0x800000FF != byte:
            return None
        if unit & 256:
            begin = unit_at(node ^ ((unit >> 10) << ((unit & 512) >> 6))) & 0x7FFFFFFF
            try:
                return strings[begin : strings.find(b"\0", begin)].decode()
            except UnicodeDecodeError:
                raise ModelFileError("sentencepiece.not_utf8") from None
    return None
