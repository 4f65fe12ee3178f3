"""Tokenizers trained by counting: whole words, characters, UTF-8 bytes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.config import N_BYTES, TrainingSettings
from engine.corpus.arrays import CutLines, Pretokens, count_pretokens
from engine.corpus.normalize import denormalize, normalize
from engine.corpus.pretokens.pretokenize import Pretokenizer, text_of, to_codes, utf8_offsets
from engine.errors import InputError
from engine.merges.alphabet import strip_space
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import Token, TokenTable, bytes_label, tiled
from engine.pretokenization import get_pretokenizer, pretokenizer_for
from engine.tokenizer import Encoding, encoding_as_given

_UNKNOWN = "[UNK]"


class _Counted(TokenTable):
    """The most frequent units of a text; all others become the unknown token, whose id is 0.

    Parameters
    ----------
    units : the vocabulary without the unknown token.
    counts : count of each in the training corpus.
    normalization : applied to the text first.
    unknown : the unknown token.
    """

    def __init__(self, units: Sequence[str], counts: Sequence[int], normalization: str, unknown: str) -> None:
        super().__init__([Token(unknown, b""), *(Token(unit, unit.encode()) for unit in units)])
        self.counts = [int(count) for count in counts]
        self.unknown_id = 0
        self.normalization = normalization
        self.unknown = unknown
        self._ids = {unit: i for i, unit in enumerate(units, start=1)}

    def statistics(self) -> Mapping[str, np.ndarray]:
        """Count of each unit in the training corpus."""
        return {"frequency": np.array([-1, *self.counts], dtype=np.int64)}


class WordTokenizer(_Counted):
    """The most frequent words; see `_Counted`.

    A word is a stripped pre-token. The spans tile the text: white space belongs to the following word, or to the last
    one at the end of the text. A text that is only white space has no tokens. If no word is unknown,
    `decode(encode(text).ids)` is the words joined by single spaces.

    Parameters
    ----------
    pretokenizer : a pre-tokenizer or its name.
    """

    pretokenizer: Pretokenizer

    def __init__(
        self,
        words: Sequence[str],
        counts: Sequence[int],
        pretokenizer: Pretokenizer | str = "whitespace",
        normalization: str = "none",
        unknown: str = _UNKNOWN,
    ) -> None:
        super().__init__(words, counts, normalization, unknown)
        self.pretokenizer = get_pretokenizer(pretokenizer) if isinstance(pretokenizer, str) else pretokenizer

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "Words"

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks."""
        content: dict[str, Any] = {
            "kind": "words",
            "pretokenizer": self.pretokenizer.name,
            "normalization": self.normalization,
            "unknown": self.unknown,
            "words": [token.label for token in self.tokens[1:]],
            "counts": self.counts,
        }
        return model_parts(content, self.pretokenizer)

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        """Ids and byte spans of a text; the spans tile the (normalised) text. There are no special tokens."""
        seen = normalize(text, self.normalization)
        codes = to_codes(seen)
        bounds = self.pretokenizer.boundaries(codes)
        begin, end, _ = strip_space(codes, bounds[:-1], bounds[1:])
        ids = [self._ids.get(seen[a:b], 0) for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
        offsets = utf8_offsets(codes)
        encoding = tiled(np.array(ids, dtype=np.int32), offsets[end], int(offsets[-1]))
        return encoding_as_given(encoding, text, self.normalization)

    def decode(self, ids: Sequence[int]) -> str:
        """The words joined by single spaces, including the unknown token."""
        return denormalize(" ".join(self.token_label(token_id) for token_id in ids), self.normalization)


def train_words(
    pretokens: Pretokens, vocab_size: int, pretokenizer: Pretokenizer | str = "whitespace", normalization: str = "none"
) -> WordTokenizer:
    """The `vocab_size - 1` most frequent words of the pre-tokens; ties go to the one that appears first.

    Raises
    ------
    InputError : there is no word, or `vocab_size` has no room for one.
    """
    begin, end, kept = strip_space(pretokens.chars, pretokens.ptr[:-1], pretokens.ptr[1:])
    if begin.size == 0:
        raise InputError("corpus.no_words")
    if vocab_size < 2:
        raise InputError("vocabulary.room", vocab_size=vocab_size, unknown=_UNKNOWN)
    text = text_of(pretokens.chars)
    counts: dict[str, int] = {}
    for a, b, count in zip(begin.tolist(), end.tolist(), pretokens.count[kept].tolist(), strict=True):
        word = text[a:b]
        counts[word] = counts.get(word, 0) + count
    counts.pop(_UNKNOWN, None)
    best = sorted(counts, key=lambda word: -counts[word])[: vocab_size - 1]
    return WordTokenizer(best, [counts[word] for word in best], pretokenizer, normalization)


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

    def fewest_tokens(self, lines: Sequence[str], cut: CutLines | None = None) -> np.ndarray:
        """Bytes per line (int64[n_lines]): there is only one segmentation."""
        return np.array([len(line.encode()) for line in lines], dtype=np.int64)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the bytes; invalid ones as `<0xEC>`."""
        return self.surface(ids)


class Characters(_Counted):
    """The most frequent characters, including white space; see `_Counted`.

    A character outside the vocabulary is one unknown token; there is no byte fallback, so that the loss is visible.
    `decode(encode(text).ids) == text` if no character is unknown.
    """

    def __init__(
        self, characters: str, counts: Sequence[int], normalization: str = "none", unknown: str = _UNKNOWN
    ) -> None:
        super().__init__(characters, counts, normalization, unknown)
        self.characters = characters

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "Characters"

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


def train_characters(pretokens: Pretokens, vocab_size: int | None = None, normalization: str = "none") -> Characters:
    """The `vocab_size - 1` most frequent characters (None: all) of the pre-tokens; ties go to the smaller code point.

    Raises
    ------
    InputError : there is no text, or `vocab_size` has no room for a character.
    """
    if pretokens.chars.size == 0:
        raise InputError("corpus.empty")
    if vocab_size is not None and vocab_size < 2:
        raise InputError("vocabulary.room", vocab_size=vocab_size, unknown=_UNKNOWN)
    count = np.bincount(pretokens.chars, weights=np.repeat(pretokens.count, np.diff(pretokens.ptr))).astype(np.int64)
    best = np.argsort(-count, kind="stable")[: int((count > 0).sum())]
    best = best if vocab_size is None else best[: vocab_size - 1]
    return Characters("".join(map(chr, best.tolist())), count[best].tolist(), normalization)


def plain_tokenizer(
    lines: Sequence[str], settings: TrainingSettings
) -> tuple[WordTokenizer | Characters | Utf8Bytes, tuple[int, int], int]:
    """The tokenizer, its feasible vocabulary sizes, and the number of tokens in the corpus.

    The vocabulary of words or characters is smaller than `vocab_size` if the corpus has fewer; the one of bytes always
    has 256 tokens.

    Raises
    ------
    InputError : there is no text, or the settings have special tokens, which these tokenizers do not support.
    """
    if settings.special_tokens:
        raise InputError("plain.specials", algorithm=settings.algorithm)
    text = [normalize(line, settings.normalization) for line in lines]
    # Characters and bytes do not depend on the pre-tokens; whole lines are cheapest.
    pretokenizer = pretokenizer_for(settings.pretokenizer if settings.algorithm == "words" else "none", text)
    pretokens = count_pretokens(text, pretokenizer)
    n_characters = int((pretokens.count * (pretokens.ptr[1:] - pretokens.ptr[:-1])).sum())
    if not n_characters:
        raise InputError("corpus.empty")
    if settings.algorithm == "bytes":
        return Utf8Bytes(), (N_BYTES, N_BYTES), sum(len(line.encode()) for line in text)
    if settings.algorithm == "characters":
        every = len(set().union(*text)) + 1
        characters = train_characters(pretokens, settings.vocab_size, settings.normalization)
        return characters, (2, every), n_characters
    every = train_words(pretokens, 2_000_000, pretokenizer, settings.normalization).vocab_size
    words = train_words(pretokens, settings.vocab_size, pretokenizer, settings.normalization)
    return words, (2, every), int(pretokens.count.sum())
