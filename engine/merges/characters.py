"""A tokenizer whose tokens are single code points."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engine.config import N_BYTES
from engine.corpus.arrays import Pretokens
from engine.corpus.normalize import denormalize, normalize
from engine.corpus.pretokens.pretokenize import to_codes, utf8_offsets
from engine.errors import InputError
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import Token, TokenTable, bytes_label, tiled
from engine.tokenizer import Encoding, encoding_as_given


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


class Characters(TokenTable):
    """The most frequent characters, including white space.

    A character outside the vocabulary is one unknown token; there is no byte fallback, so that the loss is visible.
    `decode(encode(text).ids) == text` if no character is unknown.

    Parameters
    ----------
    characters : the vocabulary without the unknown token, whose id is 0.
    counts : count of each in the training corpus.
    normalization : applied to the text first.
    unknown : the unknown token.
    """

    def __init__(
        self, characters: str, counts: Sequence[int], normalization: str = "none", unknown: str = "[UNK]"
    ) -> None:
        super().__init__([Token(unknown, b""), *(Token(c, c.encode()) for c in characters)])
        self.characters = characters
        self.counts = [int(count) for count in counts]
        self.unknown_id = 0
        self.normalization = normalization
        self.unknown = unknown
        self._ids = {c: i for i, c in enumerate(characters, start=1)}

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "Characters"

    def statistics(self) -> Mapping[str, np.ndarray]:
        """Count of each character in the training corpus."""
        return {"frequency": np.array([-1, *self.counts], dtype=np.int64)}

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks."""
        content = {
            "kind": "characters",
            "normalization": self.normalization,
            "unknown": self.unknown,
            "characters": self.characters,
            "counts": self.counts,
        }
        return model_parts(content)

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans of a text; the spans tile the (normalised) text. There are no special tokens."""
        seen = normalize(text, self.normalization)
        offsets = utf8_offsets(to_codes(seen))
        ids = np.array([self._ids.get(c, 0) for c in seen], dtype=np.int32)
        return encoding_as_given(tiled(ids, offsets[1:], int(offsets[-1])), text, self.normalization)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the ids, including the unknown token."""
        return denormalize(self.surface(ids), self.normalization)


def train_characters(
    pretokens: Pretokens, vocab_size: int | None = None, normalization: str = "none", unknown: str = "[UNK]"
) -> Characters:
    """The `vocab_size - 1` most frequent characters (None: all) of the pre-tokens; ties go to the smaller code point.

    Raises
    ------
    InputError : there is no text, or `vocab_size` has no room for a character.
    """
    if pretokens.chars.size == 0:
        raise InputError("corpus.empty")
    if vocab_size is not None and vocab_size < 2:
        raise InputError("vocabulary.room", vocab_size=vocab_size, unknown=unknown)
    count = np.bincount(pretokens.chars, weights=np.repeat(pretokens.count, np.diff(pretokens.ptr))).astype(np.int64)
    best = np.argsort(-count, kind="stable")[: int((count > 0).sum())]
    best = best if vocab_size is None else best[: vocab_size - 1]
    return Characters("".join(map(chr, best.tolist())), count[best].tolist(), normalization, unknown)
