"""exp and log against decimal arithmetic."""

import math
from collections.abc import Callable
from decimal import Context, Decimal

import numpy as np
import pytest

from engine._jit import kernel
from engine.exact_math import exps, logs, nearest_exp, nearest_log, nearest_log2

_DIGITS = Context(prec=40, Emin=-10_000, Emax=10_000)
_RANDOM = np.random.default_rng(0)
_MOST_ULPS = 1.0

_POSITIVE = {
    "around 1": 1.0 + _RANDOM.normal(size=500) * 1e-4,
    "one binade and a bit": np.linspace(0.7, 1.5, 1501),
    "any normal": _RANDOM.integers(0x10000000000000, 0x7FEFFFFFFFFFFFFF, 500, endpoint=True).view(np.float64),
    "subnormal": _RANDOM.integers(1, 0xFFFFFFFFFFFFF, 200, endpoint=True).view(np.float64),
    "powers of two": 2.0 ** np.arange(-1022.0, 1024.0, 31),
}
_EXPONENTS = {
    "near 0": _RANDOM.normal(size=300) * 1e-6,
    "small": np.linspace(-1.05, 1.05, 1501),
    "all of the range": _RANDOM.uniform(-708.0, 709.78, 1000),
    "to subnormals": _RANDOM.uniform(-745.1, -708.0, 300),
}


def worst(found: np.ndarray, exact: Callable[[Decimal], Decimal], values: np.ndarray) -> float:
    """The largest error in units in the last place of what was found."""
    errors = (
        abs(_DIGITS.subtract(Decimal(y), exact(Decimal(x)))) / Decimal(float(np.spacing(abs(y))))
        for x, y in zip(values.tolist(), found.tolist(), strict=True)
    )
    return float(max(errors))


@pytest.mark.parametrize("name", _POSITIVE)
def test_log_is_within_a_unit_in_the_last_place(name: str) -> None:
    assert worst(logs(_POSITIVE[name]), _DIGITS.ln, _POSITIVE[name]) < _MOST_ULPS


@pytest.mark.parametrize("name", _EXPONENTS)
def test_exp_is_within_a_unit_in_the_last_place(name: str) -> None:
    assert worst(exps(_EXPONENTS[name]), _DIGITS.exp, _EXPONENTS[name]) < _MOST_ULPS


@kernel
def _nearest(values, which):
    result = np.empty(values.size)
    for i in range(values.size):
        if which == 0:
            result[i] = nearest_exp(values[i])
        elif which == 1:
            result[i] = nearest_log(values[i])
        else:
            result[i] = nearest_log2(values[i])
    return result


def test_the_nearest_are_the_nearest() -> None:
    exponents = np.concatenate([_EXPONENTS["near 0"], _EXPONENTS["small"], _RANDOM.uniform(-700.0, 700.0, 500)])
    assert _nearest(exponents, 0).tolist() == [float(_DIGITS.exp(Decimal(x))) for x in exponents.tolist()]
    for name in ("around 1", "one binade and a bit", "any normal", "powers of two"):
        values = _POSITIVE[name][abs(logs(_POSITIVE[name])) < 700.0]
        exact = [_DIGITS.ln(Decimal(x)) for x in values.tolist()]
        assert _nearest(values, 1).tolist() == [float(y) for y in exact]
        assert _nearest(values, 2).tolist() == [float(_DIGITS.divide(y, _DIGITS.ln(2))) for y in exact]


@pytest.mark.parametrize("edge", [math.sqrt(0.5), math.sqrt(2.0), 2.0**-1022, 1.0])
def test_log_does_not_fall_where_its_range_is_split(edge: float) -> None:
    steps = np.arange(-200, 200)
    values = (np.full(steps.size, edge).view(np.int64) + steps).view(np.float64)
    assert (np.diff(logs(values)) >= 0).all()


def test_exp_does_not_fall_where_its_range_is_split() -> None:
    for k in (-1020, -3, -1, 0, 2, 700):
        steps = np.arange(-200, 200)
        values = (np.full(steps.size, (k + 0.5) * math.log(2.0)).view(np.int64) + steps).view(np.float64)
        assert (np.diff(exps(np.sort(values))) >= 0).all()


def test_ends_of_the_range() -> None:
    given = [0.0, -0.0, 1.0, math.inf, -1.0, -math.inf, math.nan]
    np.testing.assert_array_equal(
        logs(np.array(given)), [-math.inf, -math.inf, 0.0, math.inf, math.nan, math.nan, math.nan]
    )
    given = [0.0, -0.0, -math.inf, math.inf, math.nan, -745.14, -746.0, -1e300, 709.79, 1e300]
    np.testing.assert_array_equal(
        exps(np.array(given)), [1.0, 1.0, 0.0, math.inf, math.nan, 0.0, 0.0, 0.0, math.inf, math.inf]
    )


def test_an_array_of_any_length_is_what_its_numbers_are_alone() -> None:
    # Several numbers at once, and those that are left over at the end.
    values = _RANDOM.uniform(0.0, 3.0, 67)
    for function in (logs, exps):
        alone = np.concatenate([function(values[i : i + 1]) for i in range(values.size)])
        np.testing.assert_array_equal(function(values), alone)
