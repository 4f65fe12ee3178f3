"""All n-grams of a corpus in flat sorted arrays: counts, neighbours, entropies.

An n-gram is a key `parent * n_symbols + last character` in the sorted array of its level, and its number is the index
of that key; its parent is the number of its first n - 1 characters. So the followers of an n-gram are one slice of the
next level, and looking up an n-gram takes n binary searches.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine._jit import kernel, subkernel
from engine.corpus.pretokens.pretokenize import text_of, to_codes
from engine.errors import InputError
from engine.exact_math import log, logs


class Pairs(NamedTuple):
    """The distinct pairs (major, minor) of two columns.

    Attributes
    ----------
    major, minor : int64[n_pairs], in ascending order of (major, minor).
    counts : int64[n_pairs], number of rows with the pair.
    number : int64[n_rows], index of each row's pair.
    """

    major: np.ndarray
    minor: np.ndarray
    counts: np.ndarray
    number: np.ndarray


@subkernel
def _stable_order(values, size, order):
    """`order` sorted stably by `values`: one counting sort."""
    place = np.zeros(size + 1, dtype=np.int64)
    for i in range(values.size):
        place[values[i] + 1] += 1
    for v in range(size):
        place[v + 1] += place[v]
    sorted_order = np.empty_like(order)
    for i in order:
        sorted_order[place[values[i]]] = i
        place[values[i]] += 1
    return sorted_order


@kernel
def _count_pairs(major, minor, n_major, n_minor):
    """Pairs of the columns `major` (below n_major) and `minor` (below n_minor)."""
    order = np.empty(major.size, dtype=np.int64)
    for i in range(major.size):
        order[i] = i
    order = _stable_order(minor, n_minor, order)
    order = _stable_order(major, n_major, order)
    first = np.empty(major.size, dtype=np.int64)
    second = np.empty(major.size, dtype=np.int64)
    counts = np.empty(major.size, dtype=np.int64)
    number = np.empty(major.size, dtype=np.int64)
    k = -1
    for i in order:
        if k < 0 or first[k] != major[i] or second[k] != minor[i]:
            k += 1
            first[k] = major[i]
            second[k] = minor[i]
            counts[k] = 0
        counts[k] += 1
        number[i] = k
    return first[: k + 1].copy(), second[: k + 1].copy(), counts[: k + 1].copy(), number


@kernel
def _entropies(owner, counts, size):
    """Entropy (nats) of the counts of every owner; 0 if it has none."""
    total = np.zeros(size, dtype=np.int64)
    inner = np.zeros(size, dtype=np.float64)
    for k in range(owner.size):
        total[owner[k]] += counts[k]
        inner[owner[k]] += counts[k] * log(np.float64(counts[k]))
    entropy = np.zeros(size, dtype=np.float64)
    for i in range(size):
        if total[i] > 0:
            entropy[i] = max(0.0, log(np.float64(total[i])) - inner[i] / total[i])
    return entropy


def count_pairs(major: np.ndarray, minor: np.ndarray, n_major: int, n_minor: int) -> Pairs:
    """Distinct pairs of two columns (int64[n_rows]) of integers below n_major and n_minor."""
    return Pairs(*_count_pairs(major, minor, n_major, n_minor))


def neighbour_entropy(owner: np.ndarray, neighbour: np.ndarray, n_owners: int, n_neighbours: int) -> np.ndarray:
    """float64[n_owners]: entropy (nats) of each owner's neighbours; 0 if it has none.

    Parameters
    ----------
    owner, neighbour : int64[n_rows], one row per occurrence.
    """
    pairs = count_pairs(owner, neighbour, n_owners, n_neighbours)
    return _entropies(pairs.major, pairs.counts, n_owners)


MAX_N = 8


class NgramLevel(NamedTuple):
    """The n-grams of one length.

    Attributes
    ----------
    keys : int64[n_ngrams], sorted.
    counts : int64[n_ngrams], occurrences.
    left_entropy, right_entropy : float64[n_ngrams], entropy (nats) of the character before and after.
    """

    keys: np.ndarray
    counts: np.ndarray
    left_entropy: np.ndarray
    right_entropy: np.ndarray


class Ngrams:
    """Counts and branching entropies of all n-grams of a corpus.

    Parameters
    ----------
    lines : sentences; no n-gram crosses a line end.
    n_max : longest n-gram, 1 to MAX_N.
    edge_counts : whether the edge of a sentence counts as a neighbour.

    Raises
    ------
    InputError : there is no text, or n_max is out of range.
    """

    def __init__(self, lines: Sequence[str], n_max: int = 6, edge_counts: bool = True) -> None:
        if not 1 <= n_max <= MAX_N:
            raise InputError("ngrams.length", highest=MAX_N, n_max=n_max)
        text = [line for line in lines if line]
        if not text:
            raise InputError("corpus.empty")
        self.n_max = n_max
        self.edge_counts = edge_counts
        codes = to_codes("\n".join(text))
        is_text = np.ones(codes.size, dtype=bool)
        ends = np.cumsum([len(line) + 1 for line in text])[:-1] - 1
        is_text[ends] = False  # the line ends inserted here; any others are ordinary characters
        self.alphabet = np.unique(codes[is_text])
        # 0 is the edge of a sentence.
        self.n_symbols = self.alphabet.size + 1
        symbols = np.where(is_text, np.searchsorted(self.alphabet, codes) + 1, 0).astype(np.int64)
        self.n_characters = int(is_text.sum())
        self.n_lines = len(text)
        self.levels = self._count(symbols)

    @property
    def n_ngrams(self) -> int:
        """Number of running n-grams of all lengths."""
        return int(sum(level.counts.sum() for level in self.levels))

    @property
    def characters(self) -> str:
        """The distinct characters of the corpus, in code point order."""
        return text_of(self.alphabet)

    def _count(self, symbols: np.ndarray) -> list[NgramLevel]:
        padded = np.concatenate([[0], symbols, np.zeros(self.n_max + 1, dtype=np.int64)])
        at = np.flatnonzero(symbols)  # start of each n-gram of the current length
        number = np.zeros(at.size, dtype=np.int64)
        size = 1
        levels = []
        for n in range(1, self.n_max + 1):
            last = padded[at + n]
            whole = last > 0
            at = at[whole]
            pairs = count_pairs(number[whole], last[whole], size, self.n_symbols)
            number, size = pairs.number, pairs.counts.size
            left = self._entropy(number, padded[at], size)
            right = self._entropy(number, padded[at + n + 1], size)
            levels.append(NgramLevel(pairs.major * self.n_symbols + pairs.minor, pairs.counts, left, right))
        return levels

    def _entropy(self, number: np.ndarray, neighbour: np.ndarray, size: int) -> np.ndarray:
        """Entropy (nats) of the neighbours of every n-gram; 0 if it has none."""
        if not self.edge_counts:
            kept = neighbour > 0
            number, neighbour = number[kept], neighbour[kept]
        return neighbour_entropy(number, neighbour, size, self.n_symbols)

    def texts(self, length: int) -> list[str]:
        """All n-grams of that length, in order of their numbers (code point order)."""
        columns = []
        number = np.arange(self.levels[length - 1].keys.size)
        for level in self.levels[length - 1 :: -1]:
            keys = level.keys[number]
            number = keys // self.n_symbols
            columns.append(self.alphabet[keys % self.n_symbols - 1])
        joined = text_of(np.stack(columns[::-1], axis=1))
        return [joined[at : at + length] for at in range(0, len(joined), length)]

    def symbols(self, text: str) -> np.ndarray:
        """int64[len(text)]: characters as symbols from 1 on; -1 for those not in the corpus."""
        codes = to_codes(text)
        at = np.minimum(np.searchsorted(self.alphabet, codes), self.alphabet.size - 1)
        return np.where(self.alphabet[at] == codes, at + 1, -1).astype(np.int64)

    def numbers(self, text: str) -> list[np.ndarray]:
        """For each length n an int64[len(text)]: number of the n-gram that begins there, -1 if there is none."""
        symbols = self.symbols(text)
        found: list[np.ndarray] = []
        before = np.zeros(symbols.size, dtype=np.int64)
        for n, level in enumerate(self.levels):
            last = np.full(symbols.size, -1, dtype=np.int64)
            last[: max(0, symbols.size - n)] = symbols[n:]
            if level.keys.size == 0:  # no line of the corpus is that long
                before = np.full(symbols.size, -1, dtype=np.int64)
                found.append(before)
                continue
            keys = before * self.n_symbols + last
            at = np.minimum(np.searchsorted(level.keys, keys), level.keys.size - 1)
            before = np.where((before >= 0) & (last > 0) & (level.keys[at] == keys), at, -1)
            found.append(before)
        return found

    def pmi(self, text: str, total: str = "characters") -> np.ndarray:
        """float64[len(text) - 1]: log(f(ab) T / (f(a) f(b))) of adjacent characters, nats; -inf if unseen.

        T is the number of `characters`, or of all running `ngrams` (the entropy-driven pre-tokenization paper, section
        3.1, does not say which).
        """
        return pmi_at(self.pair_pmi(total), self.numbers(text))

    def pair_pmi(self, total: str = "characters") -> np.ndarray:
        """float64[n_pairs]: PMI (nats) of all pairs of adjacent characters, by number; see `pmi`."""
        if self.n_max < 2:
            return np.empty(0)
        count = self.n_characters if total == "characters" else self.n_ngrams
        single, pairs = self.levels[0].counts, self.levels[1]
        # Every symbol occurs, so a character's number is its symbol minus one.
        first, second = pairs.keys // self.n_symbols, pairs.keys % self.n_symbols - 1
        return logs(pairs.counts * (count / (single[first] * single[second])))


def pmi_at(pairs: np.ndarray, numbers: Sequence[np.ndarray]) -> np.ndarray:
    """PMI of all adjacent pairs of a text, of `Ngrams.pair_pmi`, from its `Ngrams.numbers`; -inf if unseen."""
    if pairs.size == 0 or numbers[0].size < 2:
        return np.full(max(0, numbers[0].size - 1), -np.inf)
    number = numbers[1][:-1]
    return np.where(number >= 0, pairs[number], -np.inf)
