"""The language model over tokens against its definition, in dictionaries."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measure.token_ngrams import TokenModel

_LINES = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=8)


class _Naive:
    """Interpolated Kneser-Ney by its formulas, one n-gram at a time."""

    def __init__(self, lines, n_tokens, order):
        self.end, self.order = n_tokens, order
        counts = defaultdict(int)
        for line in lines:
            for gram in self.grams(line):
                counts[gram] += 1
        self.counts = {order: counts}
        for n in range(order - 1, 0, -1):
            self.counts[n] = defaultdict(int)
            for gram in self.counts[n + 1]:
                self.counts[n][gram[1:]] += 1

    def grams(self, line):
        text = [self.end] * (self.order - 1) + [*line, self.end]
        return [tuple(text[at : at + self.order]) for at in range(len(line) + 1)]

    def p(self, gram):
        if not gram:
            return 1 / (self.end + 1)
        counts = self.counts[len(gram)]
        followers = {other: count for other, count in counts.items() if other[:-1] == gram[:-1]}
        shorter = self.p(gram[1:])
        if not followers:
            return shorter
        n1 = 1 + sum(count == 1 for count in counts.values())
        n2 = 1 + sum(count == 2 for count in counts.values())
        d = n1 / (n1 + 2 * n2)
        seen = max(counts.get(gram, 0) - d, 0)
        return (seen + d * len(followers) * shorter) / sum(followers.values())


def _flat(lines):
    return np.array([i for line in lines for i in line], dtype=np.int64), np.cumsum([0, *map(len, lines)])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(_LINES, _LINES, st.integers(1, 5))
def test_every_line_has_the_probability_of_the_definition_at_every_order(training, held_back, order):
    model = TokenModel(*_flat(training), 5, order)
    for lower in range(1, order + 1):
        naive = _Naive(training, 5, lower)
        expected = [-sum(np.log2(naive.p(gram)) for gram in naive.grams(line)) for line in held_back]
        assert model.bits(*_flat(held_back), lower) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(_LINES, st.lists(st.integers(0, 5), min_size=4, max_size=4), st.integers(1, 5))
def test_what_may_come_next_sums_to_one(training, before, order):
    model = TokenModel(*_flat(training), 5, order)
    following = np.arange(model.n_outcomes)
    distribution = model.probabilities([np.full_like(following, one) for one in before[5 - order :][::-1]], following)
    assert distribution.sum() == pytest.approx(1)
    assert (distribution > 0).all()
