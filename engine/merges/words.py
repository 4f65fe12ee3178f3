"""A tokenizer whose tokens are whole words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.corpus.arrays import Pretokens
from engine.corpus.normalize import denormalize, normalize
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes, utf8_offsets
from engine.errors import InputError
from engine.merges.alphabet import strip_space
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import Token, TokenTable, tiled
from engine.pretokenization import get_pretokenizer
from engine.tokenizer import Encoding, encoding_as_given


class WordTokenizer(TokenTable):
    """The most frequent words; all others become the unknown token.

    A word is a stripped pre-token. The spans tile the text: white space belongs to the following word, or to the last
    one at the end of the text. A text that is only white space has no tokens. If no word is unknown,
    `decode(encode(text).ids)` is the words joined by single spaces.

    Parameters
    ----------
    words : the vocabulary without the unknown token, whose id is 0.
    counts : count of each in the training corpus.
    pretokenizer : a pre-tokenizer or its name.
    normalization : applied to the text first.
    unknown : the unknown token.
    """

    pretokenizer: Pretokenizer

    def __init__(
        self,
        words: Sequence[str],
        counts: Sequence[int],
        pretokenizer: Pretokenizer | str = "whitespace",
        normalization: str = "none",
        unknown: str = "[UNK]",
    ) -> None:
        super().__init__([Token(unknown, b""), *(Token(word, word.encode()) for word in words)])
        self.counts = [int(count) for count in counts]
        self.unknown_id = 0
        self.pretokenizer = get_pretokenizer(pretokenizer) if isinstance(pretokenizer, str) else pretokenizer
        self.normalization = normalization
        self.unknown = unknown
        self._ids = {word: i for i, word in enumerate(words, start=1)}

    @property
    def name(self) -> str:
        """Display name of the algorithm."""
        return "Words"

    def statistics(self) -> Mapping[str, np.ndarray]:
        """Count of each word in the training corpus."""
        return {"frequency": np.array([-1, *self.counts], dtype=np.int64)}

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
    pretokens: Pretokens,
    vocab_size: int,
    pretokenizer: Pretokenizer | str = "whitespace",
    normalization: str = "none",
    unknown: str = "[UNK]",
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
        raise InputError("vocabulary.room", vocab_size=vocab_size, unknown=unknown)
    text = pretokens.chars.astype("<i4").tobytes().decode("utf-32-le")
    counts: dict[str, int] = {}
    for a, b, count in zip(begin.tolist(), end.tolist(), pretokens.count[kept].tolist(), strict=True):
        word = text[a:b]
        counts[word] = counts.get(word, 0) + count
    counts.pop(unknown, None)
    best = sorted(counts, key=lambda word: -counts[word])[: vocab_size - 1]
    return WordTokenizer(best, [counts[word] for word in best], pretokenizer, normalization, unknown)
