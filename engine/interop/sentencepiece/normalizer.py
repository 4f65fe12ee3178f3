"""SentencePiece's normalizer: its character map, its white space rules, and the origin of every byte.

The map is a double-array trie (darts-clone) from byte strings to replacements; the longest match at a position wins.
White space: a space may be added before (or after) the text, runs of spaces collapse into one, and spaces are escaped
as U+2581.
"""

from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.errors import ModelFileError
from engine.interop.imported.precompiled import read_charsmap
from engine.interop.sentencepiece.proto import SentencePieceProto
from engine.vocabulary.trie import Trie, _longest_match, build_trie

_MOST_GROWTH = 64

_SPACE = 0x20
_MARK = (0xE2, 0x96, 0x81)  # U+2581, an escaped space
# The first byte of an n-byte UTF-8 sequence is below the n-th of these.
_LEADS = (0x80, 0xE0, 0xF0)
# Room after the last character: a space, and the end of the text.
_SPARE = 4


class _Rules(NamedTuple):
    """Treatment of white space."""

    before: bool  # add a space before the text
    after: bool  # or after it
    squeeze: bool  # collapse runs of spaces, and strip them from both ends
    escape: bool  # write spaces as U+2581


@subkernel
def _replaced(units, data, at):
    """Longest prefix of `data[at:]` that the map replaces: its length (0 for none) and the replacement's offset."""
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


@subkernel
def _string_end(strings, begin):
    """End of the replacement that begins at `begin`."""
    end = begin
    while end < strings.size and strings[end] != 0:
        end += 1
    return end


@subkernel
def _character_size(lead):
    """Length of the UTF-8 sequence that begins with this byte."""
    return 1 if lead < _LEADS[0] else (2 if lead < _LEADS[1] else (3 if lead < _LEADS[2] else 4))


@subkernel
def _put(out, origin, n, byte, at, escape):
    """Write one byte, a space as U+2581 if escaped; returns the new length. With arrays of size 0, only count."""
    if byte == _SPACE and escape:
        if out.size > 0:
            out[n], out[n + 1], out[n + 2] = _MARK
            origin[n : n + 3] = at
        return n + 3
    if out.size > 0:
        out[n] = byte
        origin[n] = at
    return n + 1


@subkernel
def _space_before(out, n, escape):
    """Bytes of the space at the end of `out[:n]`, 0 if there is none."""
    if not escape:
        return 1 if n >= 1 and out[n - 1] == _SPACE else 0
    if n >= 3 and out[n - 3] == _MARK[0] and out[n - 2] == _MARK[1] and out[n - 1] == _MARK[2]:
        return 3
    return 0


@kernel
def _normalize(data, units, strings, keys, children, token, before, after, squeeze, escape, out, origin):
    """Number of bytes written to `out`; `origin[i]` is the offset of byte i in `data`, the last entry that of the end.

    All bytes of a replacement have the offset of its source's first byte. With arrays of size 0, the room needed.
    """
    n = 0
    at = 0
    after_space = squeeze
    at_start = True
    while at < data.size:
        # The next `size` bytes become the range begin..end-1 of `strings` or of `data`.
        size = _longest_match(keys, children, token, data, at)
        is_replaced, begin, end = False, at, at + size
        if size == 0:
            size, value = _replaced(units, data, at)
            is_replaced = size > 0
            if is_replaced:
                begin, end = value, _string_end(strings, value)
            else:
                size = min(_character_size(data[at]), data.size - at)
                end = at + size
        if at_start and squeeze and end - begin == 1 and (strings[begin] if is_replaced else data[begin]) == _SPACE:
            at += size
            continue
        if at_start and before:
            n = _put(out, origin, n, _SPACE, at, escape)
        at_start = False
        while after_space and begin < end and (strings[begin] if is_replaced else data[begin]) == _SPACE:
            begin += 1
        for i in range(begin, end):
            byte = strings[i] if is_replaced else data[i]
            n = _put(out, origin, n, byte, at if is_replaced else i, escape)
            after_space = byte == _SPACE
        after_space = after_space and squeeze
        at += size
    if out.size == 0:
        return n + _SPARE
    while squeeze and _space_before(out, n, escape) > 0:
        n -= _space_before(out, n, escape)
        at = origin[n]
    if after and not at_start:
        n = _put(out, origin, n, _SPACE, at, escape)
    origin[n] = at
    return n


class Normalizer:
    """What a `.model` file does to a text before segmentation.

    Parameters
    ----------
    proto : the file.
    frozen : user-defined pieces, which are left unchanged.

    Raises
    ------
    ModelFileError : the character map is damaged.
    """

    def __init__(self, proto: SentencePieceProto, frozen: list[str]) -> None:
        self._charsmap = read_charsmap(proto.charsmap)
        # A trie over bytes, each as one character.
        texts = [piece.encode().decode("latin-1") for piece in frozen]
        self._frozen: Trie = build_trie(texts, np.arange(len(texts), dtype=np.int32))
        self._rules = _Rules(
            before=proto.add_dummy_prefix and not proto.space_after,
            after=proto.add_dummy_prefix and proto.space_after,
            squeeze=proto.remove_extra_whitespaces,
            escape=proto.escape_whitespaces,
        )

    def __call__(self, text: str) -> tuple[str, np.ndarray]:
        """The normalized text, and the byte offset (int64) in `text` of each of its UTF-8 bytes and its end."""
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        arguments = (data, *self._charsmap, *self._frozen, *self._rules)
        nothing = np.empty(0, dtype=np.uint8)
        room = _normalize(*arguments, nothing, np.empty(0, dtype=np.int64))
        if room > _MOST_GROWTH * (data.size + 4):
            raise ModelFileError("sentencepiece.growth", most=_MOST_GROWTH)
        out = np.empty(room, dtype=np.uint8)
        origin = np.empty(room + 1, dtype=np.int64)
        n = _normalize(*arguments, out, origin)
        try:
            return out[:n].tobytes().decode(), origin[: n + 1]
        except UnicodeDecodeError:
            raise ModelFileError("sentencepiece.not_utf8") from None
