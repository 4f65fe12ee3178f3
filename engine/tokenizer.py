"""The one protocol that every tokenizer answers, whatever trained it or whichever file it came from."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np


class Encoding(NamedTuple):
    """A text as tokens.

    Attributes
    ----------
    ids : token ids, in order.
    spans : for each the UTF-8 byte offsets (begin, end) of the text that it stands for; they tile the text.
    """

    ids: list[int]
    spans: list[tuple[int, int]]


class EncodedBatch(NamedTuple):
    """Many lines as tokens, in flat arrays.

    Attributes
    ----------
    ids : int32[n_tokens], the tokens of all lines one behind the other.
    size : int64[n_tokens], the UTF-8 bytes of the text that each stands for; they tile the lines.
    line_ptr : int64[n_lines + 1], where the tokens of each line begin.
    """

    ids: np.ndarray
    size: np.ndarray
    line_ptr: np.ndarray


class Tokenizer(Protocol):
    """What pages, measures and exports ask of a tokenizer."""

    @property
    def name(self) -> str:
        """Name of the algorithm, as people write it."""
        ...

    @property
    def vocab_size(self) -> int:
        """Number of ids; they go from 0 to vocab_size - 1."""
        ...

    def encode(self, text: str) -> Encoding:
        """Ids and byte spans of a text."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids; bytes that do not make a character as `<0xEC>`, never U+FFFD."""
        ...

    def token_label(self, token_id: int) -> str:
        """A token as its file format writes it: `##ble`, `est</w>`, `<0xEC>`."""
        ...

    def token_bytes(self, token_id: int) -> bytes:
        """Surface bytes of a token, without marks; empty for special tokens."""
        ...
