"""UTF-8 bytes: 256 tokens, nothing to train, nothing unknown, and the longest sequences."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.config import N_BYTES
from engine.corpus.pretokens.pretokenize import to_codes
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import Token, TokenTable, bytes_label
from engine.tokenizer import Encoding


class Utf8Bytes(TokenTable):
    """Every byte of the text's UTF-8 form is a token; its id is its value (ByT5 adds 3). Answers the protocol."""

    def __init__(self) -> None:
        super().__init__([Token(bytes_label(bytes([byte])), bytes([byte])) for byte in range(N_BYTES)])

    @property
    def name(self) -> str:
        """Name of the algorithm, as people write it."""
        return "UTF-8 bytes"

    def file_parts(self) -> Iterator[bytes]:
        """The content of its model file."""
        return model_parts({"kind": "bytes"})

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """The bytes, and a span of one byte each. There are no special tokens to allow."""
        to_codes(text)
        data = text.encode()
        return Encoding(list(data), [(i, i + 1) for i in range(len(data))])

    def fewest_tokens(self, lines: Sequence[str]) -> np.ndarray:
        """The bytes of every line (int64[n_lines]): there is one way only."""
        return np.array([len(line.encode()) for line in lines], dtype=np.int64)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the bytes; those that do not make a character as `<0xEC>`."""
        return self.surface(ids)
