"""exp and log that give the same bits on every CPU.

NumPy and the C library dispatch on CPU features, and the last digits differ. These functions use only additions,
multiplications, divisions and bit operations in a fixed order, each rounded as IEEE 754 prescribes; `_jit` never sets
`fastmath`, so the compiler neither contracts nor reorders them. They have no branches, so loops over arrays vectorize.

Both are within 2 units in the last place (measured: 0.9); their comments contain the proof.
`tests/engine/test_exact_math.py` compares them with decimal arithmetic.
"""

import numpy as np

from engine._jit import inlined, kernel

LOG2 = 0.6931471805599453
# log 2 as a sum: the first part has 42 bits, so its product with any exponent is exact.
_LOG2_HIGH = 0.6931471805598903
_LOG2_LOW = 5.497923018708371e-14
_PER_LOG2 = 1.4426950408889634  # 1 / log 2

# Adding this rounds to an integer, which ends up in the low bits.
_ROUNDER = 1.5 * 2.0**52
_ROUNDER_BITS = 0x4338000000000000
_EXPONENT = 52  # bits below the exponent
_BIAS = 1023
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # of the square root of 1/2
_LEAST_NORMAL = 2.0**-1022


@inlined
def log(x):
    """Natural logarithm of a float64: -inf at 0, nan below."""
    # x = 2^k (1 + f) with 1 + f between the square roots of 1/2 and 2; subnormals are scaled up first.
    small = x < _LEAST_NORMAL
    bits = np.float64(x * 2.0**54 if small else x).view(np.int64)
    power = (bits - _ROOT_HALF_BITS) >> _EXPONENT
    f = np.int64(bits - (power << _EXPONENT)).view(np.float64) - 1.0
    k = np.int64(power + _ROUNDER_BITS).view(np.float64) - _ROUNDER - (54.0 if small else 0.0)
    # log(1 + f) = 2 artanh(s), s = f / (2 + f), and 2 artanh(s) = 2 s + s z (2/3 + 2/5 z + 2/7 z^2 + ...), z = s^2
    # <= 0.0295. The series in brackets is approximated by the polynomial that interpolates it at the 7 Chebyshev nodes:
    # the error is at most 2 (0.0295 / 4)^7 / 7! times the seventh derivative, in total 2^-57 of log(1 + f).
    s = f / (2.0 + f)
    z = s * s
    series = 0.1461703754879165
    series = series * z + 0.1533167403016786
    series = series * z + 0.18182890556695602
    series = series * z + 0.2222221111514416
    series = series * z + 0.2857142862609589
    series = series * z + 0.3999999999989924
    series = series * z + 0.666666666666667
    # 2 s = f - s f, and f is exact, so the rounding errors of s and of the series are scaled by s f / f, less than a
    # fifth. The last additions round once each; the product with k is exact.
    result = k * _LOG2_HIGH + (f - (s * (f - z * series) - k * _LOG2_LOW))
    result = result if x < np.inf else x  # inf, nan
    return result if x > 0.0 else (-np.inf if x == 0.0 else np.nan)


@inlined
def exp(x):
    """e^x of a float64; underflows gradually below -708, inf above 709.78."""
    # x = k log 2 + r with |r| <= log(2) / 2, where x - k high is exact. Beyond these bounds the result is 0 or inf.
    x = -746.0 if x < -746.0 else (710.0 if x > 710.0 else x)
    shifted = x * _PER_LOG2 + _ROUNDER
    k = shifted - _ROUNDER
    r = (x - k * _LOG2_HIGH) - k * _LOG2_LOW
    # e^r = 1 + r + r^2 (1/2! + ... + r^11/13!); the remainder is less than r^14/14! 1.03 < 2^-57.
    series = 1.0 / 6227020800.0
    series = series * r + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    # The sum is at most 0.42 from 1, so its rounding error is less than half of the last addition's. The factor 2^k is
    # split into two normal numbers; only a subnormal result is rounded once more.
    power = np.float64(shifted).view(np.int64) - _ROUNDER_BITS
    half = power >> 1
    first = np.int64((half + _BIAS) << _EXPONENT).view(np.float64)
    second = np.int64((power - half + _BIAS) << _EXPONENT).view(np.float64)
    return (1.0 + (r + r * r * series)) * first * second


@kernel
def _logs(values):
    result = np.empty(values.size)
    for i in range(values.size):
        result[i] = log(values[i])
    return result


@kernel
def _exps(values):
    result = np.empty(values.size)
    for i in range(values.size):
        result[i] = exp(values[i])
    return result


def logs(values: np.ndarray) -> np.ndarray:
    """Natural logarithms of float64[n] (float64[n])."""
    return _logs(values)


def exps(values: np.ndarray) -> np.ndarray:
    """Exponentials of float64[n] (float64[n])."""
    return _exps(values)
