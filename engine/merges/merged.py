"""The common base of BPE and WordPiece: a vocabulary built by merges, with its history."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from engine.corpus.normalize import normalize
from engine.corpus.pretokens.pretokenize import Pretokenizer, to_codes, utf8_offsets
from engine.errors import InputError
from engine.merge_history import MergeHistory, history_table
from engine.merge_settings import MergeSettings
from engine.merges.alphabet import UNSEEN_FORM, Alphabet, ByteAlphabet, CharacterAlphabet, strip_space
from engine.merges.model_writer import model_parts
from engine.merges.vocabulary import MOST_BYTES, TokenTable, add_merged, first_tokens, has_room
from engine.pretokenization import get_pretokenizer
from engine.tokenizer import Encoding, MergedTokenizer, MergeStep, TrainingText, encoding_as_given

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second to load, and most commands do not need it


# Number (from 1) and token of the merge of two adjacent tokens; None if they do not merge.
MergeOf = Callable[[int, int], tuple[int, int] | None]


def merge_steps(symbols: Sequence[int], bounds: Sequence[int], merge_of: MergeOf) -> list[MergeStep]:
    """The symbols of a word, then its tokens after each merge; the lowest number merges first, the leftmost on ties.

    Parameters
    ----------
    symbols : ids.
    bounds : byte offsets, one more than symbols.
    """
    ids, edges = list(symbols), list(bounds)
    steps = [_step(0, ids, edges)]
    while True:
        found = [(*merge, at) for at in range(len(ids) - 1) if (merge := merge_of(ids[at], ids[at + 1]))]
        if not found:
            return steps
        number, made, at = min(found, key=lambda one: (one[0], one[2]))
        ids[at : at + 2] = [made]
        del edges[at + 1]
        steps.append(_step(number, ids, edges))


def _step(number: int, ids: Sequence[int], edges: Sequence[int]) -> MergeStep:
    return MergeStep(number, Encoding([*ids], list(pairwise(edges))))


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

    def merge_steps(self, text: str) -> list[list[MergeStep]] | None:
        """The merges of every pre-token; None for WordPiece, which takes the longest match."""
        if self.longest_match is not None:
            return None
        form = self.normalization
        pairs = zip(self.history.left.tolist(), self.history.right.tolist(), strict=True)
        merges = {pair: (number + 1, self.n_first + number) for number, pair in enumerate(pairs)}
        steps = []
        for symbols, bounds in self._symbols(normalize(text, form)):
            word = merge_steps(symbols, bounds, lambda left, right: merges.get((left, right)))
            steps.append([self._located(step, text) for step in word])
        return steps

    def _symbols(self, text: str) -> Iterator[tuple[list[int], list[int]]]:
        """The initial symbols of every pre-token, and their bounds in bytes."""
        codes = to_codes(text)
        cuts = self.pretokenizer.boundaries(codes)
        begin, end = cuts[:-1], cuts[1:]
        if self.settings.drops_space:
            begin, end, _ = strip_space(codes, begin, end)
        symbols, ptr = self.alphabet.symbols(codes, begin, end)
        offsets = utf8_offsets(codes)
        for word in range(begin.size):
            own = symbols[ptr[word] : ptr[word + 1]].tolist()
            if isinstance(self.alphabet, ByteAlphabet):
                yield own, list(range(int(offsets[begin[word]]), int(offsets[end[word]]) + 1))
            else:  # a mark that is a symbol of its own has no text
                characters = np.minimum(begin[word] + np.arange(len(own) + 1), end[word])
                yield own, offsets[characters].tolist()

    def _located(self, step: MergeStep, text: str) -> MergeStep:
        """A step with ids and offsets as `encode` has them."""
        ids = [token - UNSEEN_FORM if token >= UNSEEN_FORM else token for token in step.encoding.ids]
        return MergeStep(step.number, encoding_as_given(Encoding(ids, step.encoding.spans), text, self.normalization))

    def file_parts(self) -> Iterator[bytes]:
        """The content of the model file in chunks; InputError for tokens that no file may have."""
        if not has_room(self.tokens[: self.n_first], self.history):
            raise InputError("merges.long", most=MOST_BYTES)
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
