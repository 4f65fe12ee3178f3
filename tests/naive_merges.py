"""BPE and WordPiece as they are told: recount everything before every merge. Slow, obvious, the oracle of the tests."""

from collections.abc import Sequence
from itertools import pairwise

Word = tuple[str, ...]
Pair = tuple[str, str]


def count_pairs(words: Sequence[tuple[Word, int]]) -> dict[Pair, int]:
    """Occurrences of every pair of neighbours, in the order in which the pairs are met."""
    counts: dict[Pair, int] = {}
    for word, count in words:
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def count_symbols(words: Sequence[tuple[Word, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word, count in words:
        for symbol in word:
            counts[symbol] = counts.get(symbol, 0) + count
    return counts


def apply(word: Word, pair: Pair, token: str) -> Word:
    """The word with every occurrence of the pair replaced, from left to right."""
    out: list[str] = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            out.append(token)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


class Merge:
    """One merge: what was chosen, what would have been next, how many had the same score, tokens after it."""

    def __init__(self, ranked: list[tuple[float, Pair]], counts: dict[Pair, int], n_tokens: int) -> None:
        self.score, self.pair = ranked[0]
        self.count = counts[self.pair]
        self.runner_up = ranked[1][1] if len(ranked) > 1 else None
        self.n_ties = sum(score == self.score for score, _ in ranked)
        self.n_tokens = n_tokens


def train(
    words: Sequence[tuple[Word, int]],
    n_merges: int,
    ties: str = "first-seen",
    likelihood: bool = False,
    first_ids: Sequence[str] = (),
    min_count: int = 1,
    continuing: str = "",
) -> list[Merge]:
    """Learn up to n merges. `first_ids` are the first symbols in the order of their ids, for ties="tokenizers"."""
    words = list(words)
    ids = {symbol: i for i, symbol in enumerate(first_ids)}
    merges: list[Merge] = []
    for _ in range(n_merges):
        counts = {pair: count for pair, count in count_pairs(words).items() if count >= min_count}
        if not counts:
            break
        symbols = count_symbols(words)
        score = {
            pair: count / (symbols[pair[0]] * symbols[pair[1]]) if likelihood else float(count)
            for pair, count in counts.items()
        }
        pairs = list(counts)
        if ties == "lexicographic":
            pairs.sort(reverse=True)
        elif ties == "tokenizers":
            pairs.sort(key=lambda pair: (ids[pair[0]], ids[pair[1]]))
        pairs.sort(key=lambda pair: -score[pair])  # stable: the order above decides ties
        pair = pairs[0]
        token = pair[0] + pair[1].removeprefix(continuing)
        ids[token] = len(ids)
        words = [(apply(word, pair, token), count) for word, count in words]
        ranked = [(score[pair], pair) for pair in pairs]
        merges.append(Merge(ranked, counts, sum(len(word) * count for word, count in words)))
    return merges


def segment(word: Word, merges: Sequence[Pair], continuing: str = "") -> Word:
    """The word after all merges, one after the other."""
    for pair in merges:
        word = apply(word, pair, pair[0] + pair[1].removeprefix(continuing))
    return word
