"""The common base of BPE and WordPiece: a vocabulary built by merges, with its history."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from engine.corpus.pretokens.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.merge_history import MergeHistory, history_table
from engine.merge_settings import MergeSettings
from engine.merges.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import TokenTable, add_merged, first_tokens
from engine.pretokenization import get_pretokenizer
from engine.tokenizer import Encoding, MergedTokenizer, TrainingText

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second to load, and most commands do not need it


class Merged(TokenTable, MergedTokenizer):
    """Ids: the unknown token (not for bytes), the special tokens, the alphabet, then one token per merge.

    Parameters
    ----------
    settings : used for training.
    alphabet : the initial symbols.
    history : the merges.
    n_symbols : tokens in the training corpus before the first merge.
    n_words : white-space-separated words in the training corpus.
    pretokenizer : no token crosses its boundaries; None: the one named in the settings.

    Attributes
    ----------
    n_first : size of the vocabulary before the first merge; merge k (from 0) creates the token `n_first + k`.
    """

    def __init__(
        self,
        settings: MergeSettings,
        alphabet: Alphabet,
        history: MergeHistory,
        n_symbols: int,
        n_words: int,
        pretokenizer: Pretokenizer | None = None,
    ) -> None:
        first = first_tokens(settings.specials, alphabet.tokens)
        is_bytes = isinstance(alphabet, ByteAlphabet)
        super().__init__(add_merged(first, history.left, history.right, settings.continuing, is_bytes))
        self.n_first = len(first)
        self.settings = settings
        self.alphabet = alphabet
        self.history = history
        self.n_symbols = n_symbols
        self.n_words = n_words
        self.pretokenizer = pretokenizer or get_pretokenizer(settings.pretokenizer)
        self.normalization = settings.normalization
        self.special_tokens = {text: i for i, text in enumerate(settings.specials)}
        self.unknown_id = None if is_bytes else self.special_tokens[settings.unknown]
        n_tokens = int(history.n_tokens[-1]) if history.n_merges else n_symbols
        self.training_text = TrainingText(n_words, n_tokens)
        self._cached_at = lru_cache(maxsize=1)(self.at)

    @property
    def merges(self) -> MergedTokenizer:
        """This tokenizer."""
        return self

    @property
    def forms(self) -> Sequence[str] | None:
        """The characters of the alphabet by form; None for bytes."""
        return self.alphabet.forms if isinstance(self.alphabet, CharacterAlphabet) else None

    def statistics(self) -> Mapping[str, np.ndarray]:
        """Number, frequency and score of the merge that created each token."""
        first, history = self.n_first, self.history
        none = np.full(first, -1, dtype=np.int64)
        return {
            "merge": np.concatenate([none, 1 + np.arange(self.n_merges)]),
            "frequency": np.concatenate([none, history.frequency]),
            "score": np.concatenate([np.full(first, np.nan), history.score]),
        }

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks."""
        return model_parts(self._content(), self.pretokenizer)

    def _content(self) -> dict[str, Any]:
        return {
            "kind": "wordpiece" if self.settings.algorithm == "wordpiece" else "bpe",
            "settings": dataclasses.asdict(self.settings),
            "corpus": {"symbols": self.n_symbols, "words": self.n_words},
            "alphabet": None if self.forms is None else list(self.forms),
            "merges": {name: column.tolist() for name, column in self.history._asdict().items()},
        }

    def encode_after(self, n_merges: int, text: str) -> Encoding:
        """Encode with the first `n_merges` merges only."""
        return self._cached_at(n_merges).encode(text)

    @property
    def n_merges(self) -> int:
        """Number of merges."""
        return self.history.n_merges

    def table(self) -> "pd.DataFrame":
        """One row per merge; see `history_table`. `fertility` is tokens per white-space-separated word."""
        table = history_table(self.history, [token.label for token in self.tokens], self.n_first)
        table["fertility"] = table["n_tokens"] / max(1, self.n_words)
        return table

    def at(self, n_merges: int) -> Self:
        """The tokenizer as it was after `n_merges` merges."""
        history = self.history.head(self._checked(n_merges))
        return type(self)(self.settings, self.alphabet, history, self.n_symbols, self.n_words, self.pretokenizer)

    def _checked(self, n_merges: int) -> int:
        if not 0 <= n_merges <= self.n_merges:
            raise InputError("merges.number", count=self.n_merges)
        return n_merges
