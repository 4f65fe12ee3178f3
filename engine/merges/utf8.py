"""UTF-8 bytes: 256 tokens, no training, no unknown characters, and the longest sequences."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.config import N_BYTES
from engine.corpus.pretokens.pretokenize import to_codes
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import Token, TokenTable, bytes_label
from engine.tokenizer import Encoding


class Utf8Bytes(TokenTable):
    """Each UTF-8 byte is a token, whose id is its value (ByT5 adds 3)."""

    def __init__(self) -> None:
        super().__init__([Token(bytes_label(bytes([byte])), bytes([byte])) for byte in range(N_BYTES)])

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "UTF-8 bytes"

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks."""
        return model_parts({"kind": "bytes"})

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """The bytes, each with a span of one byte. There are no special tokens."""
        to_codes(text)
        data = text.encode()
        return Encoding(list(data), [(i, i + 1) for i in range(len(data))])

    def fewest_tokens(self, lines: Sequence[str]) -> np.ndarray:
        """Bytes per line (int64[n_lines]): there is only one segmentation."""
        return np.array([len(line.encode()) for line in lines], dtype=np.int64)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the bytes; invalid ones as `<0xEC>`."""
        return self.surface(ids)
