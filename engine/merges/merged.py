"""A vocabulary made by merges, with its history: what BPE and WordPiece have in common."""

from typing import TYPE_CHECKING, Self

from engine.corpus.pretokenize import Pretokenizer
from engine.errors import InputError
from engine.merges.alphabet import Alphabet, ByteAlphabet
from engine.merges.history import MergeHistory, history_table
from engine.merges.settings import MergeSettings
from engine.merges.vocabulary import Vocabulary, add_merged, first_tokens
from engine.pretokenization import get_pretokenizer

if TYPE_CHECKING:
    import pandas as pd  # a third of a second, which most commands do not need


class Merged(Vocabulary):
    """Ids: the unknown token (not for bytes), the special tokens, the alphabet, then one token a merge, in order.

    Parameters
    ----------
    settings : what it was trained with.
    alphabet : the first symbols.
    history : the merges.
    n_symbols : tokens of the training corpus before the first merge.
    n_words : white-space separated words of the training corpus.
    pretokenizer : no token crosses its boundaries; None stands for the one that the settings name.

    Attributes
    ----------
    n_first : tokens before the first merge; merge k (from 0) makes the token `n_first + k`.
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

    @property
    def n_merges(self) -> int:
        """Number of merges."""
        return self.history.n_merges

    def table(self) -> "pd.DataFrame":
        """One row a merge; see `history_table`. `fertility` is the corpus' symbols a white-space separated word."""
        table = history_table(self.history, [token.label for token in self.tokens], self.n_first)
        table["fertility"] = table["n_tokens"] / max(1, self.n_words)
        return table

    def at(self, n_merges: int) -> Self:
        """The vocabulary as it was after so many merges."""
        if not 0 <= n_merges <= self.n_merges:
            raise InputError(
                "there are {count:,} merges; choose a number from 0 to {count:,}",
                code="merges.number",
                count=self.n_merges,
            )
        history = self.history.head(n_merges)
        return type(self)(self.settings, self.alphabet, history, self.n_symbols, self.n_words, self.pretokenizer)
