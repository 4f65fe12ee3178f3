"""P(a token is used at least once) against all segmentations one by one, and the two walks against each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lattice.passes import _log_z, _marginals
from engine.unigram.train.statistics import _inclusion, _inclusion_of_long


def lattice(n: int, reach: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ends, lengths and random weights of all arcs of at most `reach` characters, in order of ends, longest first."""
    arcs = [(v, length) for v in range(1, n + 1) for length in range(min(reach, v), 0, -1)]
    end, length = np.array(arcs).T
    weight = np.random.default_rng(seed).uniform(0.5, 16.0, end.size)
    return end.astype(np.uint32), length.astype(np.uint8), weight


def passes(n: int, end: np.ndarray, length: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """log Z, and shares and marginals of the arcs."""
    share, marginal = np.empty(end.size), np.empty(end.size)
    token = np.arange(end.size, dtype=np.uint32)
    log_z = _log_z(n, end, length, token, weight, share)
    _marginals(n, end, length, share, np.empty(n + 1), marginal)
    return log_z, share, marginal


def walk(
    long: bool, n: int, arcs: tuple[np.ndarray, np.ndarray, np.ndarray], places: list[int], used: np.ndarray
) -> float:
    """One of the two kernels for a token at the arcs `places`."""
    end, length, weight = arcs
    _, share, marginal = passes(n, end, length, weight)
    following = np.append(np.arange(1, len(places)), -1).astype(np.int32)
    walked = (0, 0, end, length, share, marginal, np.empty(n + 1))
    columns = (following, np.array(places, dtype=np.int64), used, *walked)
    if long:
        return _inclusion_of_long(0, *columns, int(length.max()))
    return _inclusion(0, len(places) - 1, *columns)


def segmentations(n: int, end: np.ndarray, length: np.ndarray) -> list[list[int]]:
    """Every way from 0 to n, as arcs."""
    ways: list[list[list[int]]] = [[[]]] + [[] for _ in range(n)]
    for arc in range(end.size):
        ways[end[arc]] += [[*way, arc] for way in ways[end[arc] - length[arc]]]
    return ways[n]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 9), st.integers(1, 3), st.integers(0, 1000))
def test_both_walks_are_the_sum_over_all_segmentations(data: st.DataObject, n: int, reach: int, seed: int) -> None:
    arcs = lattice(n, reach, seed)
    end, length, weight = arcs
    places = sorted(data.draw(st.sets(st.integers(0, end.size - 1), min_size=1, max_size=5)))
    used = np.random.default_rng(seed).choice([1.0, 0.25, 1e-9], len(places))
    total = with_token = 0.0
    for way in segmentations(n, end, length):
        p = math.prod(weight[arc] for arc in way)
        total += p
        without = math.prod(1.0 - used[places.index(arc)] for arc in way if arc in places)
        with_token += p * (1.0 - without)
    log_z, _, _ = passes(n, end, length, weight)
    assert log_z == pytest.approx(math.log(total) - n * math.log(16.0), rel=1e-12, abs=1e-12)
    for long in (False, True):
        assert walk(long, n, arcs, places, used) == pytest.approx(with_token / total, rel=1e-7)


@pytest.mark.parametrize("gap", [1, 40, 700])
def test_skipping_what_has_settled_changes_nothing(gap: int) -> None:
    n = 3000
    arcs = lattice(n, 3, gap)
    places = [int(arc) for arc in np.flatnonzero((arcs[0] % gap == 0) & (arcs[1] == 2))][:50]
    # Seldom used, so that the sum is far from one and every term counts.
    used = np.full(len(places), 1e-6)
    assert walk(True, n, arcs, places, used) == pytest.approx(walk(False, n, arcs, places, used), rel=1e-11)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_sums_out_of_range_are_scaled(scale: float) -> None:
    n = 400
    end, length, weight = lattice(n, 4, 1)
    plain, _, marginal = passes(n, end, length, weight)
    # A factor a character changes log Z by its logarithm and no posterior.
    log_z, _, scaled = passes(n, end, length, weight * scale ** length.astype(np.float64))
    assert log_z == pytest.approx(plain + n * math.log(scale), rel=1e-12)
    np.testing.assert_allclose(scaled, marginal, rtol=1e-11)
