"""BPE-dropout (Provilkov et al. 2020): dropping merges at random gives one word many segmentations."""

import random
from collections.abc import Mapping, Sequence

from app.toys.merges import Pair, Symbols, merged_label
from engine.errors import InputError
from engine.merge_settings import MergeSettings

_MOST_STATES = 20_000  # per word


def sample_dropout(
    symbols: Symbols, merges: Sequence[Pair], settings: MergeSettings, p: float, n: int, seed: int = 0
) -> list[Symbols]:
    """Draw `n` segmentations of a word.

    Until nothing is left to merge, every possible merge is dropped with probability `p`; among the rest, the earliest
    learned is applied, leftmost first (Algorithm 1 of the paper). `p` = 0 is BPE; `p` = 1 merges nothing.

    Parameters
    ----------
    symbols : the word's initial symbols.
    merges : in the order learned.

    >>> sample_dropout(("h", "u", "g"), [("u", "g")], MergeSettings(), 0.0, 2)
    [('h', 'ug'), ('h', 'ug')]
    """
    ranks = _ranks(merges)
    chance = random.Random(seed)
    drawn = []
    for _ in range(n):
        now = symbols
        while kept := [at for at in _places(now, ranks) if chance.random() >= p]:
            now = _merged(now, kept[0], settings)
        drawn.append(now)
    return drawn


def dropout_distribution(
    symbols: Symbols, merges: Sequence[Pair], settings: MergeSettings, p: float
) -> dict[Symbols, float]:
    """The exact probability of every segmentation that `sample_dropout` can draw, most probable first.

    In the order of `_places`, the k-th possible merge (k from 0) is applied with probability p^k (1 - p).

    Raises
    ------
    InputError : the word has too many intermediate segmentations.
    """
    ranks = _ranks(merges)
    found: dict[Symbols, float] = {}
    states = {symbols: 1.0}
    n_states = 0
    # Each merge removes one symbol, so all states of a round have the same length.
    while states:
        n_states += len(states)
        if n_states > _MOST_STATES:
            raise InputError("dropout.long")
        shorter: dict[Symbols, float] = {}
        for now, probability in states.items():
            left = probability
            for at in _places(now, ranks):
                merged = _merged(now, at, settings)
                shorter[merged] = shorter.get(merged, 0.0) + left * (1 - p)
                left *= p
            if left > 0:
                found[now] = left
        states = {state: probability for state, probability in shorter.items() if probability > 0}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _ranks(merges: Sequence[Pair]) -> Mapping[Pair, int]:
    return {pair: rank for rank, pair in enumerate(merges)}


def _places(symbols: Symbols, ranks: Mapping[Pair, int]) -> list[int]:
    """Positions where a merge applies, by merge order, then from left to right."""
    fitting = [at for at in range(len(symbols) - 1) if symbols[at : at + 2] in ranks]
    return sorted(fitting, key=lambda at: (ranks[(symbols[at], symbols[at + 1])], at))


def _merged(symbols: Symbols, at: int, settings: MergeSettings) -> Symbols:
    return (*symbols[:at], merged_label((symbols[at], symbols[at + 1]), settings), *symbols[at + 2 :])
