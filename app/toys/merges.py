"""BPE and WordPiece step by step: count all pairs, merge the best, count again."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.errors import InputError
from engine.merge_settings import MergeSettings

Symbols = tuple[str, ...]
Pair = tuple[str, str]


class PairScore(NamedTuple):
    """A pair of adjacent symbols: its frequency, those of its parts, and the score it is ranked by."""

    pair: Pair
    frequency: int
    left_frequency: int
    right_frequency: int
    score: float


class ToyStep(NamedTuple):
    """The corpus before a merge.

    Attributes
    ----------
    number : merges so far.
    words : every word's symbols, and its count.
    vocabulary : the initial symbols, sorted, then one token per merge.
    pairs : every pair, best first; ties in order of first appearance.
    ties : the pairs with the best score.
    chosen : the pair to merge; None at the end.
    token : the merged token; "" at the end.
    n_tokens : symbols in the corpus.
    """

    number: int
    words: tuple[tuple[Symbols, int], ...]
    vocabulary: tuple[str, ...]
    pairs: tuple[PairScore, ...]
    ties: tuple[Pair, ...]
    chosen: Pair | None
    token: str
    n_tokens: int


def first_symbols(word: str, settings: MergeSettings) -> Symbols:
    """A word as characters with the marks of the settings; for `byte-bpe` UTF-8 bytes, non-ASCII ones as `<0xEC>`."""
    if settings.algorithm == "byte-bpe":
        return tuple(chr(byte) if byte < 0x80 else f"<0x{byte:02X}>" for byte in word.encode())
    symbols = [settings.continuing + c if i else c for i, c in enumerate(word)]
    if settings.end_of_word and settings.mark_place == "attached":
        symbols[-1] += settings.end_of_word
    elif settings.end_of_word:
        symbols.append(settings.end_of_word)
    return tuple(symbols)


def merged_label(pair: Pair, settings: MergeSettings) -> str:
    """The token a pair merges into: the continuation prefix remains only at the start."""
    return pair[0] + pair[1].removeprefix(settings.continuing)


def apply_merge(symbols: Symbols, pair: Pair, token: str) -> Symbols:
    """Replace every occurrence of the pair, from left to right."""
    out: list[str] = []
    i = 0
    while i < len(symbols):
        if symbols[i : i + 2] == pair:
            out.append(token)
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)


def rank_pairs(words: Sequence[tuple[Symbols, int]], settings: MergeSettings) -> list[PairScore]:
    """All pairs with at least `min_count` occurrences, by score, then in order of first appearance."""
    pairs: dict[Pair, int] = {}
    single: dict[str, int] = {}
    for symbols, count in words:
        for symbol in symbols:
            single[symbol] = single.get(symbol, 0) + count
        for pair in pairwise(symbols):
            pairs[pair] = pairs.get(pair, 0) + count
    rows = []
    for (left, right), count in pairs.items():
        if count >= settings.min_count:
            likelihood = settings.score == "likelihood"
            score = count / (single[left] * single[right]) if likelihood else float(count)
            rows.append(PairScore((left, right), count, single[left], single[right], score))
    return sorted(rows, key=lambda row: -row.score)


def merge_steps(
    corpus: Mapping[str, int], settings: MergeSettings, n_merges: int, choices: Mapping[int, Pair | int] | None = None
) -> list[ToyStep]:
    """Every step of a training, from the state before the first merge to the state after the last.

    Parameters
    ----------
    corpus : words and their counts.
    settings : algorithm, marks, score, ties, minimum count. `tokenizers` breaks ties by vocabulary order.
    n_merges : maximum number of merges.
    choices : by step number, which of the tied pairs to merge, or its index in `ties`.

    Raises
    ------
    InputError : a choice is not one of the best pairs of its step.
    """
    words = [(first_symbols(word, settings), count) for word, count in corpus.items()]
    vocabulary = sorted({symbol for symbols, _ in words for symbol in symbols})
    steps: list[ToyStep] = []
    for number in range(n_merges + 1):
        pairs = rank_pairs(words, settings)
        ties = tuple(row.pair for row in pairs if row.score == pairs[0].score)
        chosen = _choose(ties, vocabulary, settings, (choices or {}).get(number)) if number < n_merges else None
        token = merged_label(chosen, settings) if chosen else ""
        n_tokens = sum(len(symbols) * count for symbols, count in words)
        steps.append(ToyStep(number, tuple(words), tuple(vocabulary), tuple(pairs), ties, chosen, token, n_tokens))
        if chosen is None:
            break
        words = [(apply_merge(symbols, chosen, token), count) for symbols, count in words]
        vocabulary.append(token)
    return steps


def _choose(
    ties: Sequence[Pair], vocabulary: list[str], settings: MergeSettings, wanted: Pair | int | None
) -> Pair | None:
    if isinstance(wanted, int):
        if not 0 <= wanted < len(ties):
            raise InputError("toy.tie_number", wanted=wanted, count=len(ties))
        return ties[wanted]
    if wanted is not None:
        if wanted not in ties:
            raise InputError("toy.tie_pair", pair=" ".join(wanted))
        return wanted
    if not ties:
        return None
    if settings.ties == "lexicographic":
        return max(ties)
    if settings.ties == "tokenizers":
        return min(ties, key=lambda pair: (vocabulary.index(pair[0]), vocabulary.index(pair[1])))
    return ties[0]


class ReplayStep(NamedTuple):
    """One merge that changed the word: its number (from 0), the pair, and the resulting symbols."""

    number: int
    pair: Pair
    symbols: Symbols


def replay(word: str, merges: Sequence[Pair], settings: MergeSettings) -> tuple[Symbols, list[ReplayStep]]:
    """Segment a word by replaying the merges: its initial symbols, and the merges that apply, in the order learned."""
    first = symbols = first_symbols(word, settings)
    steps = []
    for number, pair in enumerate(merges):
        merged = apply_merge(symbols, pair, merged_label(pair, settings))
        if merged != symbols:
            symbols = merged
            steps.append(ReplayStep(number, pair, symbols))
    return first, steps


class MatchStep(NamedTuple):
    """One token of MaxMatch: where it begins, the candidates from long to short, and the first in the vocabulary."""

    begin: int
    tried: tuple[str, ...]
    token: str


def max_match_steps(word: str, vocabulary: Collection[str], settings: MergeSettings) -> list[MatchStep]:
    """Longest match from the left. If nothing matches, the last step is the unknown token, which replaces the word."""
    text = word + settings.end_of_word
    steps: list[MatchStep] = []
    begin = 0
    while begin < len(text):
        prefix = settings.continuing if begin else ""
        tried: list[str] = []
        for end in range(len(text), begin, -1):
            tried.append(prefix + text[begin:end])
            if tried[-1] in vocabulary:
                break
        found = tried[-1] in vocabulary
        steps.append(MatchStep(begin, tuple(tried), tried[-1] if found else settings.unknown))
        if not found:
            break
        begin += len(tried[-1]) - len(prefix)
    return steps
