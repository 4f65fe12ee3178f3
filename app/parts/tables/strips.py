"""Rows of the token strip: one per tokenizer, and the layers below them."""

from itertools import pairwise

import numpy as np
import regex

from app.components.data import StripRow, StripToken
from app.parts.tables.segmentation import Segmentation, TextPart, segment
from engine.corpus.normalize import JAMO
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes
from engine.measure.morphemes.token_classes import CLASSES, NONE
from engine.measure.words import byte_offsets
from engine.tokenizer import Tokenizer

BREAKS = str.maketrans({"\n": "↵", "\r": "␍", "\t": "⇥"})


def hex_label(data: bytes) -> str:
    return "".join(f"<0x{byte:02X}>" for byte in data)


def strip_chars(text: str, part: TextPart) -> list[str]:
    return [char.translate(BREAKS) for char in text[part.begin : part.end]]


def token_row(
    tokenizer: Tokenizer,
    segmentation: Segmentation,
    part: TextPart,
    name: str,
    note: str,
    ringed: np.ndarray | None = None,
    count: str = "",
    classes: np.ndarray | None = None,
) -> StripRow:
    """A tokenizer's tokens in one part of the text.

    `ringed` is a bool for every token of the whole text, `classes` (int8) its grammatical class.
    """
    tokens: list[StripToken] = []
    for k in range(part.first, part.last):
        token_id, is_hex = int(segmentation.ids[k]), bool(segmentation.is_partial[k])
        is_hex &= tokenizer.normalization != JAMO  # a letter of a syllable is readable
        label = hex_label(segmentation.bytes_of(k)) if is_hex else tokenizer.token_label(token_id).translate(BREAKS)
        tokens.append(
            {
                "label": label,
                "b": int(segmentation.begin[k]) - part.begin,
                "e": int(segmentation.end[k]) - part.begin,
                "hex": is_hex,
                "ringed": bool(ringed is not None and ringed[k]),
                "id": token_id,
                "kind": "fallback" if is_hex else _kind(tokenizer, token_id),
                "token_class": "" if classes is None or classes[k] == NONE else CLASSES[classes[k]],
            }
        )
    return {"name": name, "note": note, "count": count, "tokens": tokens}


def whole_row(tokenizer: Tokenizer, text: str) -> StripRow:
    """The tokens of a whole text, with their number; the row has no name yet."""
    cut = segment(tokenizer, text)
    return token_row(tokenizer, cut, TextPart(0, cut.ids.size, 0, len(text)), "", "", count=f"{cut.ids.size:,}")


def _kind(tokenizer: Tokenizer, token_id: int) -> str:
    """Unknown, for a token without bytes that represents unknown text; else empty."""
    if token_id == tokenizer.unknown_id:
        return "unknown"
    return "" if tokenizer.token_bytes(token_id) else "special"


def pretoken_row(pretokenizer: Pretokenizer, text: str, part: TextPart, name: str, note: str) -> StripRow:
    """The pre-tokens of one part of the text, clipped to it."""
    bounds = pretokenizer.boundaries(to_codes(text)).tolist()
    tokens: list[StripToken] = []
    for begin, end in pairwise(bounds):
        begin, end = max(begin, part.begin), min(end, part.end)
        if begin < end:
            tokens.append(layer_token(text[begin:end].translate(BREAKS), begin - part.begin, end - part.begin))
    return {"name": name, "note": note, "tokens": tokens, "kind": "pretokens"}


def grapheme_row(text: str, part: TextPart, name: str, note: str) -> StripRow:
    """The user-perceived characters (extended grapheme clusters, UAX 29) of one part of the text."""
    tokens: list[StripToken] = []
    for match in regex.finditer(r"\X", text[part.begin : part.end]):
        tokens.append(layer_token(match.group().translate(BREAKS), match.start(), match.end()))
    return {"name": name, "note": note, "tokens": tokens, "kind": "graphemes"}


def byte_row(text: str, part: TextPart, name: str, note: str) -> StripRow:
    """The UTF-8 bytes of one part of the text, one box each below their character."""
    tokens = [
        layer_token(hex_label(bytes([byte])), k, k + 1, is_hex=True)
        for k, char in enumerate(text[part.begin : part.end])
        for byte in char.encode()
    ]
    return {"name": name, "note": note, "tokens": tokens, "kind": "bytes"}


def patch_row(text: str, ends: list[int], name: str, note: str) -> StripRow:
    """Patches of bytes as tokens over the characters they touch; those that split a character are in hexadecimal."""
    data = text.encode()
    starts = byte_offsets(text).tolist()
    owner = [k for k, char in enumerate(text) for _ in char.encode()]
    tokens: list[StripToken] = []
    begin = 0
    for end in ends:
        is_whole = begin in starts and end in starts
        label = data[begin:end].decode() if is_whole else hex_label(data[begin:end])
        tokens.append(layer_token(label, owner[begin], owner[end - 1] + 1, not is_whole))
        begin = end
    return {"name": name, "note": note, "tokens": tokens}


def layer_token(label: str, begin: int, end: int, is_hex: bool = False) -> StripToken:
    return {"label": label, "b": begin, "e": end, "hex": is_hex, "ringed": False, "id": None, "kind": ""}
