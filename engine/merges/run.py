"""The training loop of merge algorithms, and the arrays that it works on."""

import numpy as np

from engine._jit import kernel
from engine.errors import InputError
from engine.merge_history import MergeHistory, empty_history
from engine.merge_settings import MergeSettings
from engine.merges.heap import TokenTexts, _count_ties, _runner_up
from engine.merges.index import COLON_WORDS, PairIndex, Policy, Symbols, SymbolTable, _find, build_index, make_room
from engine.merges.merge_step import _merge, empty_scratch
from engine.merges.vocabulary import Token

# Why `_merge_many` stopped.
_DONE, _EXHAUSTED, _BELOW_THRESHOLD, _NO_ROOM, _NO_TEXT_ROOM = range(5)

# Pairs with a smaller share of the corpus's tokens than 1 / _FIRST_BOUND are not indexed at first, and most of them
# never are. When no other pair is left, the threshold is divided by _NEXT_BOUND.
_FIRST_BOUND = 1 << 16
_NEXT_BOUND = 16


@kernel
def _merge_many(symbols, table, index, scratch, texts, policy, min_count, prefix, given, history, n_tokens, n):
    """Make up to n merges, first those given; returns their number, why it stopped, and the tokens in the corpus."""
    heap = index.heap
    for k in range(n):
        new = table.size[0]
        if k < given.shape[0]:
            left, right = given[k, 0], given[k, 1]
            row = index.slots[_find(index, left, right)]
            if row >= 0 and heap.place[row] < 0:  # the pair does not occur any more
                row = np.int32(-1)
        else:
            if heap.size[0] < 2 and policy.threshold > min_count:
                return k, _BELOW_THRESHOLD, n_tokens
            if heap.size[0] == 0:
                return k, _EXHAUSTED, n_tokens
            row = heap.rows[0]
            left, right = index.left[row], index.right[row]
        needed = index.number[row] if row >= 0 else 0
        if (
            index.used[1] + 2 * needed > index.occurrences.size
            or index.used[0] + 2 * min(needed, new + 1) > index.left.size
        ):
            return k, _NO_ROOM, n_tokens
        if texts.is_used:
            end = texts.ptr[new]
            for part in range(2):
                token = left if part == 0 else right
                begin = texts.ptr[token] + (prefix if part == 1 else 0)
                if end + texts.ptr[token + 1] - begin > texts.codes.size:
                    return k, _NO_TEXT_ROOM, n_tokens
                for i in range(begin, texts.ptr[token + 1]):
                    texts.codes[end] = texts.codes[i]
                    end += 1
            texts.ptr[new + 1] = end
        runner = _runner_up(heap, index.left, index.right, texts)
        history.left[k] = left
        history.right[k] = right
        history.frequency[k] = index.frequency[row] if row >= 0 else 0
        history.score[k] = heap.score[row] if row >= 0 else 0.0
        history.runner_left[k] = index.left[runner] if runner >= 0 else -1
        history.runner_right[k] = index.right[runner] if runner >= 0 else -1
        history.runner_frequency[k] = index.frequency[runner] if runner >= 0 else 0
        history.runner_score[k] = heap.score[runner] if runner >= 0 else 0.0
        history.n_ties[k] = _count_ties(heap)
        if row >= 0:
            n_tokens -= _merge(symbols, table, index, scratch, texts, policy, row, new)
        else:
            table.size[0] = new + 1
        history.n_tokens[k] = n_tokens
    return n, _DONE, n_tokens


class MergeRun:
    """The state of a training.

    Parameters
    ----------
    symbols : int32, initial symbols of all words.
    ptr : int64[n_words + 1].
    count : int64[n_words], count of each word.
    tokens : special tokens and initial symbols, by id.
    settings : everything else.
    most_words : tokens with more parts between spaces, or with a space after a colon, are not made; 0: no limit.

    Attributes
    ----------
    n_tokens : current number of tokens in the corpus.
    is_exhausted : whether no pair is left to merge.
    """

    def __init__(
        self,
        symbols: np.ndarray,
        ptr: np.ndarray,
        count: np.ndarray,
        tokens: list[Token],
        settings: MergeSettings,
        most_words: int = 0,
    ) -> None:
        self._symbols = _with_separators(symbols, ptr, count)
        self._settings = settings
        self._table = _symbol_table(self._symbols, tokens)
        self.n_tokens = int(self._table.frequency.sum())
        self.is_exhausted = False
        self._scratch = empty_scratch(len(tokens))
        self._texts = _texts(tokens, settings)
        self._policy = Policy(
            likelihood=settings.score == "likelihood",
            first_seen=settings.ties == "first-seen",
            threshold=0,
            most_words=most_words,
        )
        self._index: PairIndex | None = None

    def merge(self, n: int, given: np.ndarray | None = None) -> MergeHistory:
        """Make up to n merges, first those of the `given` pairs (int32[n_given, 2]), which need not occur.

        A run is given pairs from its first call on, if need be none, or never: those that are rare must be indexed.
        """
        self._make_room(n)
        if self._index is None:
            self._set_threshold(self.n_tokens // _FIRST_BOUND if given is None else 0)
        if given is None:
            given = np.empty((0, 2), dtype=np.int32)
        history = empty_history(n)
        done = 0
        while done < n:
            k, status, self.n_tokens = _merge_many(
                self._symbols,
                self._table,
                self._index,
                self._scratch,
                self._texts,
                self._policy,
                self._settings.min_count,
                len(self._settings.continuing),
                given[done:],
                MergeHistory(*(c[done:] for c in history)),
                self.n_tokens,
                n - done,
            )
            done += k
            if status == _EXHAUSTED:
                self.is_exhausted = True
                break
            if status == _BELOW_THRESHOLD:
                self._set_threshold(self._policy.threshold // _NEXT_BOUND)
            elif status == _NO_ROOM:
                self._free_room()
            elif status == _NO_TEXT_ROOM:
                self._texts = self._texts._replace(codes=_longer(self._texts.codes, 2 * self._texts.codes.size))
        return history.head(done)

    def _make_room(self, n: int) -> None:
        """Make room for n more symbols."""
        needed = int(self._table.size[0]) + n
        if needed <= self._table.length.size:
            return
        capacity = 2 * needed
        *columns, size = self._table
        self._table = SymbolTable._make([*(_longer(column, capacity) for column in columns), size])
        self._scratch = empty_scratch(capacity)
        if self._texts.is_used:
            self._texts = self._texts._replace(ptr=_longer(self._texts.ptr, capacity + 1))

    def _set_threshold(self, threshold: int) -> None:
        """Index the pairs with at least this count; with the likelihood score all pairs, as a rare one may be best."""
        if self._policy.likelihood:
            threshold = 1
        self._policy = self._policy._replace(threshold=max(self._settings.min_count, threshold))
        self._rebuild()

    def _free_room(self) -> None:
        if self._index is None or not make_room(self._symbols, self._table, self._index):
            self._rebuild()

    def _rebuild(self) -> None:
        self._index = None  # free its memory first
        self._index = build_index(self._symbols, self._table, self._texts, self._policy)


@kernel
def _separate(symbols, ptr, count):
    symbol = np.empty(symbols.size + ptr.size, dtype=np.int32)
    weight = np.zeros(symbols.size + ptr.size, dtype=np.int32)
    symbol[0] = -1
    k = 1
    for i in range(count.size):
        for j in range(ptr[i], ptr[i + 1]):
            symbol[k] = symbols[j]
            weight[k] = count[i]
            k += 1
        symbol[k] = -1
        k += 1
    return symbol, weight


def _with_separators(symbols: np.ndarray, ptr: np.ndarray, count: np.ndarray) -> Symbols:
    limit = np.iinfo(np.int32).max
    if symbols.size + ptr.size > limit or count.max() > limit:
        raise InputError("corpus.large")
    return Symbols(*_separate(symbols, ptr, count))


@kernel
def _count_symbols(symbol, weight, n):
    count = np.zeros(n, dtype=np.int64)
    for at in range(symbol.size):
        if symbol[at] >= 0:
            count[symbol[at]] += weight[at]
    return count


def _symbol_table(symbols: Symbols, tokens: list[Token]) -> SymbolTable:
    n_first = len(tokens)
    opening, closing, n_words = np.array([_spelling(token.surface) for token in tokens], dtype=np.int32).T.copy()
    return SymbolTable(
        length=np.ones(n_first, dtype=np.int32),
        frequency=_count_symbols(symbols.symbol, symbols.weight, n_first),
        first_left=np.full(n_first, -1, dtype=np.int32),
        first_right=np.full(n_first, -1, dtype=np.int32),
        opening=opening,
        closing=closing,
        n_words=n_words,
        size=np.array([n_first], dtype=np.int64),
    )


def _spelling(surface: bytes) -> tuple[int, int, int]:
    """First byte, last byte and number of words, as in the SymbolTable."""
    if not surface:
        return 0, 0, 0  # a special token, which the corpus does not have
    return surface[0], surface[-1], COLON_WORDS if b": " in surface else len([*filter(None, surface.split(b" "))])


def _texts(tokens: list[Token], settings: MergeSettings) -> TokenTexts:
    if settings.ties != "lexicographic":
        return TokenTexts(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64), False)
    if settings.algorithm == "byte-bpe":
        texts = [list(token.surface) for token in tokens]
    else:
        texts = [list(map(ord, token.label)) for token in tokens]
    codes = np.array([code for text in texts for code in text], dtype=np.int32)
    ptr = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return TokenTexts(_longer(codes, 16 * codes.size), ptr, True)


def _longer(array: np.ndarray, size: int) -> np.ndarray:
    longer = np.zeros(size, dtype=array.dtype)
    longer[: array.size] = array
    return longer
