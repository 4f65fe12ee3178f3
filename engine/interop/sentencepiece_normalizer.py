"""SentencePiece's normalizer: its character map, its white space rules, and where every byte came from.

The map is a double-array trie (darts-clone) from byte strings to replacements; the longest match at a position wins.
White space: a space may be put before (or behind) the text, runs of spaces become one, spaces are written as U+2581.
"""

import numpy as np

from engine._jit import kernel
from engine.errors import ModelFileError
from engine.interop.sentencepiece_proto import SentencePieceProto
from engine.unigram.trie import Trie, _child, build_trie

# The longest replacement in Unicode's compatibility forms has 18 characters.
_LONGEST_REPLACEMENT = 1024
_MOST_GROWTH = 64


@kernel
def _replaced(units, data, at):
    """Longest prefix of `data[at:]` that the map replaces: its length (0: none) and where the replacement stands."""
    length, value = 0, 0
    node = np.int64(0)
    if units.size == 0:
        return length, value
    unit = np.int64(units[0])
    node ^= (unit >> 10) << ((unit & 512) >> 6)
    for i in range(at, data.size):
        node ^= np.int64(data[i])
        if node >= units.size:
            break
        unit = np.int64(units[node])
        if unit & 0x800000FF != np.int64(data[i]):
            break
        node ^= (unit >> 10) << ((unit & 512) >> 6)
        if node >= units.size:
            break
        if (unit >> 8) & 1:
            length = i + 1 - at
            value = np.int64(units[node]) & 0x7FFFFFFF
    return length, value


@kernel
def _frozen(keys, children, token, data, at):
    """Length of the longest user-defined piece at a position, 0 for none."""
    length = 0
    node = 0
    for i in range(at, data.size):
        node = _child(keys, children, node, data[i])
        if node < 0:
            break
        if token[node] >= 0:
            length = i + 1 - at
    return length


@kernel
def _put(out, origin, n, byte, at, escape):
    """Write one byte, a space as U+2581 where it is escaped; returns the new length. Arrays of size 0 only count."""
    if byte == 32 and escape:
        if out.size > 0:
            out[n], out[n + 1], out[n + 2] = 0xE2, 0x96, 0x81
            origin[n : n + 3] = at
        return n + 3
    if out.size > 0:
        out[n] = byte
        origin[n] = at
    return n + 1


@kernel
def _normalize(data, units, strings, keys, children, token, before, behind, squeeze, escape, out, origin):
    """Bytes written to `out`; `origin[i]` is the offset in `data` that byte i comes from, its last entry the end's.

    All bytes of a replacement come from the begin of what they replace.
    """
    n = 0
    at = 0
    after_space = squeeze
    at_start = True
    while at < data.size:
        size = _frozen(keys, children, token, data, at)
        source, begin, end = 0, at, at + size
        if size == 0:
            size, value = _replaced(units, data, at)
            if size > 0:
                source, begin, end = 1, value, value
                while end < strings.size and strings[end] != 0:
                    end += 1
            else:
                c = data[at]
                size = 1 if c < 0x80 else (2 if c < 0xE0 else (3 if c < 0xF0 else 4))
                end = at + size
        if at_start and squeeze and end - begin == 1 and (strings[begin] if source else data[begin]) == 32:
            at += size
            continue
        if at_start and before:
            n = _put(out, origin, n, 32, at, escape)
        at_start = False
        while after_space and begin < end and (strings[begin] if source else data[begin]) == 32:
            begin += 1
        for i in range(begin, end):
            byte = strings[i] if source else data[i]
            n = _put(out, origin, n, byte, at if source else i, escape)
            after_space = byte == 32
        at += size
        if not squeeze:
            after_space = False
    if out.size == 0:
        return n + 4
    if squeeze:
        while escape and n >= 3 and out[n - 3] == 0xE2 and out[n - 2] == 0x96 and out[n - 1] == 0x81:
            n -= 3
            at = origin[n]
        while not escape and n >= 1 and out[n - 1] == 32:
            n -= 1
            at = origin[n]
    if behind and not at_start:
        n = _put(out, origin, n, 32, at, escape)
    origin[n] = at
    return n


class Normalizer:
    """What a `.model` file does to a text before it is cut.

    Parameters
    ----------
    proto : the file.
    frozen : user-defined pieces, which are left as they are.

    Raises
    ------
    ModelFileError : the character map is broken.
    """

    def __init__(self, proto: SentencePieceProto, frozen: list[str]) -> None:
        self._units, self._strings = _charsmap(proto.charsmap)
        # Over bytes, each as one character.
        texts = [piece.encode().decode("latin-1") for piece in frozen]
        self._frozen: Trie = build_trie(texts, np.arange(len(texts), dtype=np.int32))
        prefix = proto.add_dummy_prefix
        self._rules = (
            prefix and not proto.space_behind,
            prefix and proto.space_behind,
            proto.remove_extra_whitespaces,
            proto.escape_whitespaces,
        )

    def __call__(self, text: str) -> tuple[str, np.ndarray]:
        """The normalised text, and for each of its UTF-8 bytes and its end the byte offset (int64) in `text`."""
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        arguments = (data, self._units, self._strings, *self._frozen, *self._rules)
        nothing = np.empty(0, dtype=np.uint8)
        room = _normalize(*arguments, nothing, np.empty(0, dtype=np.int64))
        if room > _MOST_GROWTH * (data.size + 4):
            raise ModelFileError(
                "the SentencePiece model's normalization makes a text over {most} times longer; choose another file",
                code="sentencepiece.growth",
                most=_MOST_GROWTH,
            )
        out = np.empty(room, dtype=np.uint8)
        origin = np.empty(room + 1, dtype=np.int64)
        n = _normalize(*arguments, out, origin)
        try:
            return out[:n].tobytes().decode(), origin[: n + 1]
        except UnicodeDecodeError:
            raise ModelFileError(
                "the SentencePiece model is damaged: its normalization makes text that is not UTF-8; copy or "
                "download it again",
                code="sentencepiece.not_utf8",
            ) from None


def _charsmap(blob: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The trie's units (uint32) and the replacements (uint8, each ended by a zero byte)."""
    if not blob:
        return np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8)
    size = int.from_bytes(blob[:4], "little")
    strings = blob[4 + size :]
    if len(blob) < 8 or size % 4 or size == 0 or 4 + size >= len(blob) or not strings.endswith(b"\0"):
        raise ModelFileError(
            "the SentencePiece model is damaged: its normalization cannot be read; copy or download it again",
            code="sentencepiece.normalization",
        )
    if max(map(len, strings.split(b"\0"))) > _LONGEST_REPLACEMENT:
        raise ModelFileError(
            "the SentencePiece model's normalization has replacements of over {most:,} bytes; choose another file",
            code="sentencepiece.replacement",
            most=_LONGEST_REPLACEMENT,
        )
    units = np.frombuffer(blob[4 : 4 + size], dtype="<u4").astype(np.uint32)
    return units, np.frombuffer(strings, dtype=np.uint8)
