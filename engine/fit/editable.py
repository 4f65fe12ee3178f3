"""What a tokenizer must offer so that its vocabulary can be changed, whatever the format of its file."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from engine.corpus.arrays import CutLines, cut_lines
from engine.corpus.normalize import normalize
from engine.errors import InputError
from engine.tokenizer import Tokenizer

LONGEST_TOKEN = 512  # bytes or characters, as in rank files
# Most tokens that are added at once: embeddings of more would be most of the model.
MOST_NEW = 500_000


class EncodedWords(NamedTuple):
    """Distinct pre-tokens of a text as tokens; -1 stands for what merges with nothing."""

    symbols: np.ndarray  # int32[n_symbols]
    ptr: np.ndarray  # int64[n_words + 1]
    weight: np.ndarray  # int64[n_words], occurrences of each in the text


class NewMerge(NamedTuple):
    """Two ids that merge, the id of the token that they form, and its text (see `Editable.texts`)."""

    left: int
    right: int
    made: int
    text: bytes = b""


class MergeParts(NamedTuple):
    """How every token is merged from its bytes or characters, by id (int32[n_ids] each).

    The last merge joins `left` and `right`, -1 for tokens that no merge makes. If the merges of a word make a token,
    they make it as they would from that token's bytes alone, so removing a token that is no part of another's changes
    only the words where it is used. `is_fixed` (bool[n_ids]): never removed. `order` (int64[n_ids]): of tokens with
    equal counts, the latest is removed; by default that of the ids.
    """

    left: np.ndarray
    right: np.ndarray
    is_fixed: np.ndarray
    order: np.ndarray | None = None


class Editable(ABC):
    """A tokenizer that merges, with its file.

    Attributes
    ----------
    data : its file, unchanged.
    target : the format of its file (`engine.interop.formats`), "" for our own.
    merges_by_text : whether any two tokens whose texts form a token merge, as in tiktoken.
    """

    target: ClassVar[str] = ""
    merges_by_text: ClassVar[bool] = False
    tokenizer: Tokenizer
    data: bytes

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct pre-tokens of the lines; InputError if tokens cannot be added."""
        raise InputError("fit.only_trim", name=self.tokenizer.name)

    def pretokens(self, line: str) -> list[str]:
        """What is merged of a line, in order, to be read."""
        cut = self._cut([line], 1)
        codes = [cut.codes[begin:end] for begin, end in zip(cut.begin, cut.end, strict=True)]
        return [codes[number].tobytes().decode("utf-32-le") for number in cut.numbers.tolist()]

    def texts(self) -> list[bytes] | None:
        """Texts by id, in UTF-8, as merges concatenate them; None if texts may repeat."""
        return None

    @abstractmethod
    def parts(self) -> MergeParts:
        """How every token is merged."""

    def extended(self, merges: list[NewMerge]) -> tuple[Tokenizer, bytes]:
        """The tokenizer with more merges, and its file; raises as `words` does."""
        raise InputError("fit.only_trim", name=self.tokenizer.name)

    @abstractmethod
    def trimmed(self, new_id: np.ndarray) -> tuple[Tokenizer, bytes]:
        """The tokenizer without the tokens of which `new_id` (int64[n_ids]) is -1, and its file."""

    def _cut(self, lines: list[str], threads: int) -> CutLines:
        """The normalized lines in pre-tokens."""
        tokenizer = self.tokenizer
        assert tokenizer.pretokenizer is not None  # every tokenizer with ranks or a history has one
        return cut_lines([normalize(line, tokenizer.normalization) for line in lines], tokenizer.pretokenizer, threads)
