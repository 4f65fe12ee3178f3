"""Neighbours of a string in a corpus: branching entropies, accessor variety, cohesion."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.boundaries.ngrams import neighbour_entropy
from engine.corpus.pretokens.pretokenize import to_codes

_EDGE = ""


class Contexts(NamedTuple):
    """Neighbours of a string. Entropies are in nats; the edge of a line is one neighbour.

    Attributes
    ----------
    n : occurrences, including overlapping ones.
    left_entropy, right_entropy : branching entropy of the character before and after (Jin and Tanaka-Ishii 2006).
    left_variety, right_variety : number of distinct characters; every edge counts as distinct (accessor variety, Feng
        et al. 2004: the smaller of the two).
    cohesion : (f(w) / f(w_1))^(1 / (n - 1)), the mean probability of the next character inside the string (cohesion
        score of Kim 2013, as in soynlp); NaN for a single character.
    """

    n: int
    left_entropy: float
    right_entropy: float
    left_variety: int
    right_variety: int
    cohesion: float


def contexts_of(text: str, lines: Sequence[str]) -> Contexts:
    """Neighbours of a string over the lines.

    >>> contexts = contexts_of("나", ["가나다", "가나라"])
    >>> contexts.n, contexts.left_variety, contexts.right_variety
    (2, 1, 2)
    """
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    first = 0
    for line in lines:
        if text[:1]:
            first += line.count(text[:1])
        at = line.find(text) if text else -1
        while at >= 0:
            left[line[at - 1] if at else _EDGE] += 1
            end = at + len(text)
            right[line[end] if end < len(line) else _EDGE] += 1
            at = line.find(text, at + 1)
    count = left.total()
    cohesion = math.nan
    if len(text) > 1:
        cohesion = (count / first) ** (1 / (len(text) - 1)) if first else 0.0
    return Contexts(count, _entropy(left), _entropy(right), _variety(left), _variety(right), cohesion)


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return 0.0 - sum(n / total * math.log(n / total) for n in counts.values()) if total else 0.0  # never -0.0


def _variety(counts: Counter[str]) -> int:
    return len(counts) - (_EDGE in counts) + counts[_EDGE]


def right_entropies(strings: Sequence[str], lines: Sequence[str]) -> np.ndarray:
    """Right branching entropy of every string over the lines, including overlapping occurrences.

    All positions of the corpus walk one prefix tree of the strings in parallel; a position drops out when no string
    continues, so the cost is a few passes over the text.

    Parameters
    ----------
    strings : distinct and non-empty.
    lines : sentences; the end of a line counts as a following character (as in `Ngrams`).

    Returns
    -------
    float64[n_strings] : nats; NaN if the string is not in the lines.
    """
    text = [line for line in lines if line]
    if not text or not strings:
        return np.full(len(strings), np.nan)
    codes = to_codes("\n".join(text))
    edges = np.cumsum([len(line) + 1 for line in text])[:-1] - 1
    symbols, n_symbols, symbol_of = _as_symbols(codes, edges)
    keys, children, string_of = _prefix_tree(strings, symbol_of, n_symbols)
    at = np.flatnonzero(symbols[:-1])
    node = np.zeros(at.size, dtype=np.int64)
    owners, followers = [], []
    for depth in range(max(map(len, strings))):
        # Keys ascend over the whole tree, and no node has the edge of a line as a child.
        own = node * n_symbols + symbols[at + depth]
        place = np.minimum(np.searchsorted(keys, own), keys.size - 1)
        continues = keys[place] == own
        at, node = at[continues], children[place[continues]]
        ends = string_of[node] >= 0
        owners.append(string_of[node[ends]])
        followers.append(symbols[at[ends] + depth + 1])
    owner = np.concatenate(owners)
    entropy = neighbour_entropy(owner, np.concatenate(followers), len(strings), n_symbols)
    return np.where(np.bincount(owner, minlength=len(strings)) > 0, entropy, np.nan)


def _as_symbols(codes: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """The text as symbols from 1 on, 0 at the edges and after the end; the number of symbols; and the symbol of every
    code point (0: not in the text)."""
    occurs = np.zeros(0x110000, dtype=bool)
    occurs[codes] = True
    symbol_of = np.where(occurs, np.cumsum(occurs), 0)
    symbols = np.append(symbol_of[codes], 0)
    symbols[edges] = 0
    return symbols, int(occurs.sum()) + 1, symbol_of


def _prefix_tree(
    strings: Sequence[str], symbol_of: np.ndarray, n_symbols: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sorted keys `node * n_symbols + symbol`, the child of each, and the string that ends at every node (-1: none).

    Strings with characters outside the text are left out.
    """
    sizes = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
    symbols = symbol_of[to_codes("".join(strings))]
    begin = np.cumsum(sizes) - sizes
    node = np.zeros(sizes.size, dtype=np.int64)
    inside = np.flatnonzero(np.minimum.reduceat(symbols, begin) > 0)
    keys, n_nodes = [], 1
    for depth in range(int(sizes[inside].max(initial=0))):
        inside = inside[sizes[inside] > depth]
        # Nodes are numbered by depth, then by key, so the keys of all depths ascend.
        own, place = np.unique(node[inside] * n_symbols + symbols[begin[inside] + depth], return_inverse=True)
        node[inside] = n_nodes + place
        keys.append(own)
        n_nodes += own.size
    string_of = np.full(n_nodes, -1)
    whole = np.flatnonzero(node)
    string_of[node[whole]] = whole
    # A sentinel that equals no key, for a tree without children.
    return (np.concatenate([*keys, [np.iinfo(np.int64).max]]), np.append(np.arange(1, n_nodes), 0), string_of)
