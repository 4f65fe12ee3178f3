"""What a tokenizer must offer so that its vocabulary can be changed, whatever the format of its file."""

from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from engine.corpus.arrays import CutLines, cut_lines
from engine.corpus.normalize import normalize
from engine.tokenizer import Tokenizer

LONGEST_TOKEN = 512  # bytes or characters, as in rank files


class EncodedWords(NamedTuple):
    """Distinct pre-tokens of a text as tokens; -1 stands for what merges with nothing."""

    symbols: np.ndarray  # int32[n_symbols]
    ptr: np.ndarray  # int64[n_words + 1]
    weight: np.ndarray  # int64[n_words], occurrences of each in the text


def cut_as(tokenizer: Tokenizer, lines: list[str], threads: int) -> CutLines:
    """Lines normalized and cut into pre-tokens as the tokenizer does."""
    assert tokenizer.pretokenizer is not None  # every tokenizer with ranks or a history has one
    return cut_lines([normalize(line, tokenizer.normalization) for line in lines], tokenizer.pretokenizer, threads)


def pretokens_as(tokenizer: Tokenizer, line: str) -> list[str]:
    """The pre-tokens of a line."""
    cut = cut_as(tokenizer, [line], 1)
    codes = [cut.codes[begin:end] for begin, end in zip(cut.begin, cut.end, strict=True)]
    return [codes[number].tobytes().decode("utf-32-le") for number in cut.numbers.tolist()]


class NewMerge(NamedTuple):
    """Two ids that merge, and the id of the token that they form, new or old."""

    left: int
    right: int
    made: int


class MergeParts(NamedTuple):
    """How every token is merged from its bytes or characters, by id (int32[n_ids] each).

    The last merge joins `left` and `right`, -1 for tokens that no merge makes. If the merges of a word make a token,
    they make it as they would from that token's bytes alone, so removing a token that is no part of another's changes
    only the words where it is used. `is_fixed` (bool[n_ids]): never removed.
    """

    left: np.ndarray
    right: np.ndarray
    is_fixed: np.ndarray


class Editable(Protocol):
    """A tokenizer that merges, with its file.

    Attributes
    ----------
    data : its file, unchanged.
    target : the format of its file (`engine.interop.formats`), "" for our own.
    merges_by_text : whether any two tokens whose texts form a token merge, as in tiktoken.
    """

    target: ClassVar[str]
    merges_by_text: ClassVar[bool]
    data: bytes

    @property
    def tokenizer(self) -> Tokenizer:
        """As it is before the change."""
        ...

    def words(self, lines: list[str], threads: int) -> EncodedWords:
        """The distinct pre-tokens of the lines."""
        ...

    def pretokens(self, line: str) -> list[str]:
        """What is merged of a line, in order, to be read."""
        ...

    def texts(self) -> list[bytes] | None:
        """Texts by id, in UTF-8, as merges concatenate them; None if texts may repeat."""
        ...

    def parts(self) -> MergeParts:
        """How every token is merged."""
        ...

    def extended(self, merges: list[NewMerge]) -> tuple[Tokenizer, bytes]:
        """The tokenizer with more merges, and its file."""
        ...

    def trimmed(self, new_id: np.ndarray) -> tuple[Tokenizer, bytes]:
        """The tokenizer without the tokens of which `new_id` (int64[n_ids]) is -1, and its file."""
        ...
