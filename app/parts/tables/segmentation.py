"""A text as the tokens of one tokenizer: character offsets, counts, and the parts that fit on a page."""

from typing import NamedTuple

import numpy as np

from engine.tokenizer import Encoding, Tokenizer


class Segmentation(NamedTuple):
    """The tokens of a text, in order.

    Attributes
    ----------
    text : the text the tokenizer's spans refer to.
    data : its UTF-8 bytes.
    ids : int64[n_tokens].
    byte_begin, byte_end : int64[n_tokens], offsets in `data`.
    begin, end : int64[n_tokens], the characters (code points) that a token touches, at least one.
    is_partial : bool[n_tokens], whether the token begins or ends inside a character.
    """

    text: str
    data: bytes
    ids: np.ndarray
    byte_begin: np.ndarray
    byte_end: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    is_partial: np.ndarray

    def bytes_of(self, token: int) -> bytes:
        return self.data[self.byte_begin[token] : self.byte_end[token]]


def segment(tokenizer: Tokenizer, text: str) -> Segmentation:
    """Segment `text`, prepared by `text_of_spans` and without lone surrogates, with any tokenizer."""
    return segmentation_of(tokenizer.encode(text), text)


def segmentation_of(encoding: Encoding, text: str) -> Segmentation:
    """The tokens of an encoding, which may cover a part of the text only."""
    spans = np.array(encoding.spans, dtype=np.int64).reshape(-1, 2)
    data = text.encode()
    is_start = np.append((np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80, True)
    character = np.cumsum(is_start) - 1
    byte_begin, byte_end = spans[:, 0], spans[:, 1]
    begin = character[byte_begin]
    # A token with an empty span, such as a space before the text, is shown on the character after it, or the last one.
    begin = np.where(byte_begin < byte_end, begin, np.minimum(begin, len(text) - 1))
    end = np.where(byte_begin < byte_end, character[byte_end - 1], begin) + 1
    return Segmentation(
        text,
        data,
        np.array(encoding.ids, dtype=np.int64),
        byte_begin,
        byte_end,
        begin,
        end,
        ~(is_start[byte_begin] & is_start[byte_end]),
    )


class SegmentationCounts(NamedTuple):
    """Figures of a segmented text; None for a division by zero."""

    tokens: int
    characters: int
    words: int  # white-space-separated
    fertility: float | None  # tokens per word, over the whole text
    bytes_per_token: float | None
    characters_per_token: float | None
    partial: int  # tokens that are parts of a character


def count(segmentation: Segmentation) -> SegmentationCounts:
    """The figures of the whole text."""
    tokens, characters = segmentation.ids.size, len(segmentation.text)
    words = len(segmentation.text.split())
    return SegmentationCounts(
        tokens,
        characters,
        words,
        tokens / words if words else None,
        len(segmentation.data) / tokens if tokens else None,
        characters / tokens if tokens else None,
        int(segmentation.is_partial.sum()),
    )


class TextPart(NamedTuple):
    """A part of a text between token and character boundaries; ranges are half-open."""

    first: int  # token
    last: int
    begin: int  # character
    end: int


def surroundings(text: str, begin: int, end: int, limit: int) -> str:
    """The line around the characters `begin` to `end`, truncated to at most `limit` characters in whole words."""
    line_begin = text.rfind("\n", 0, begin) + 1
    stop = text.find("\n", end)
    line_end = len(text) if stop < 0 else stop
    if line_end - line_begin <= limit:
        return text[line_begin:line_end]
    low = max(line_begin, begin - limit // 2, end - limit)
    high = min(line_end, low + limit)
    first_space = text.find(" ", low, begin + 1) if low > line_begin else -1
    last_space = text.rfind(" ", end, high) if high < line_end else -1
    return text[low if first_space < 0 else first_space + 1 : high if last_space < 0 else last_space]


def joined_surrogates(text: str) -> str:
    """`text` with surrogate pairs as the characters they encode, and without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
