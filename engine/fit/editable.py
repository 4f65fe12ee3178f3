"""What a tokenizer must offer so that its vocabulary can be changed, whatever the format of its file."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from engine.corpus.arrays import CutLines, cut_lines
from engine.corpus.normalize import normalized
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
    """Two ids that merge, the id of the token that they form, its text (see `Editable.texts`), and its occurrences.

    Characters that become tokens merge nothing: their `left` and `right` are -1.
    """

    left: int
    right: int
    made: int
    text: bytes = b""
    frequency: int = 0


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
    """A tokenizer with its file.

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
        """Of merges: the distinct pre-tokens of the lines."""
        raise NotImplementedError

    def word(self, token: str) -> EncodedWords:
        """Of merges: the pre-tokens of a token of a list."""
        return self.words([token], 1)

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
        """Of merges: the tokenizer with more of them, and its file."""
        raise NotImplementedError

    @abstractmethod
    def trimmed(self, new_id: np.ndarray) -> tuple[Tokenizer, bytes]:
        """The tokenizer without the tokens of which `new_id` (int64[n_ids]) is -1, and its file."""

    def _cut(self, lines: list[str], threads: int) -> CutLines:
        """The normalized lines in pre-tokens."""
        tokenizer = self.tokenizer
        assert tokenizer.pretokenizer is not None  # every tokenizer with ranks or a history has one
        return cut_lines(normalized(lines, tokenizer.normalization), tokenizer.pretokenizer, threads)


class TextEditable(Editable):
    """A tokenizer that may reach a token of any text, as a list of pieces with scores is all it needs.

    Attributes
    ----------
    mark : a space in its tokens.
    """

    mark: str = " "

    @cached_property
    def _marks_words(self) -> bool:
        """Whether a text gets a space before it."""
        return "".join(self.normalized(["a"])).startswith(self.mark)

    @abstractmethod
    def normalized(self, lines: list[str]) -> list[str]:
        """What is cut into tokens, lines or pre-tokens."""

    def listed_text(self, token: str) -> str:
        """A token of a list as the vocabulary writes it; InputError if it is several pre-tokens, or none."""
        word = token.removeprefix(" ")
        texts = self.normalized([word])
        if len(texts) > 1:
            raise InputError("fit.token_cut", token=token, parts=" | ".join(texts))
        text = "".join(texts)
        text = self.mark * (word != token) + (text.removeprefix(self.mark) if self._marks_words else text)
        if not text:
            raise InputError("fit.token_set_apart", token=token)
        return text

    @abstractmethod
    def spell(self, text: str) -> list[int]:
        """The tokens of a normalized text."""

    @abstractmethod
    def with_scores(self, new: Mapping[str, float], old: Mapping[str, float]) -> tuple[Tokenizer, bytes]:
        """The tokenizer with new tokens after all others and these scores for old ones, and its file."""
