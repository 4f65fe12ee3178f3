"""exp and log that give the same bits on every CPU.

NumPy and the C library dispatch on CPU features, and the last digits differ. These functions use only additions,
multiplications, divisions and bit operations in a fixed order, each rounded as IEEE 754 prescribes; `_jit` never sets
`fastmath`, so the compiler neither contracts nor reorders them. They have no branches, so loops over arrays vectorize.

Both are within 2 units in the last place (measured: 0.9); their comments contain the proof. `nearest_exp`,
`nearest_log` and `nearest_log2` round to the nearest float64 instead, as a good C library does but for one result in a
thousand: sums of theirs tie where those of another program do.
`tests/engine/test_exact_math.py` compares them with decimal arithmetic.
"""

import numpy as np

from engine._jit import inlined, kernel

LOG2 = 0.6931471805599453
# log 2 as a sum: the first part has 42 bits, so its product with any exponent is exact.
_LOG2_HIGH = 0.6931471805598903
_LOG2_LOW = 5.497923018708371e-14
_PER_LOG2 = 1.4426950408889634  # 1 / log 2
_PER_LOG2_LOW = 2.0355273740931033e-17
_SPLITTER = 2.0**27 + 1.0

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
def _exp_tail(r):
    """1/3! + r/4! + ... + r^10/13!."""
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
    return series * r + 1.0 / 6.0


@inlined
def exp(x):
    """e^x of a float64; underflows gradually below -708, inf above 709.78."""
    # x = k log 2 + r with |r| <= log(2) / 2, where x - k high is exact. Beyond these bounds the result is 0 or inf.
    x = -746.0 if x < -746.0 else (710.0 if x > 710.0 else x)
    shifted = x * _PER_LOG2 + _ROUNDER
    k = shifted - _ROUNDER
    r = (x - k * _LOG2_HIGH) - k * _LOG2_LOW
    # e^r = 1 + r + r^2 (1/2! + ... + r^11/13!); the remainder is less than r^14/14! 1.03 < 2^-57.
    series = _exp_tail(r) * r + 0.5
    # The sum is at most 0.42 from 1, so its rounding error is less than half of the last addition's. The factor 2^k is
    # split into two normal numbers; only a subnormal result is rounded once more.
    power = np.float64(shifted).view(np.int64) - _ROUNDER_BITS
    half = power >> 1
    first = np.int64((half + _BIAS) << _EXPONENT).view(np.float64)
    second = np.int64((power - half + _BIAS) << _EXPONENT).view(np.float64)
    return (1.0 + (r + r * r * series)) * first * second


@inlined
def _product(a, b):
    """a b as a sum of two float64, the first being the rounded product (Dekker 1971)."""
    high = a * b
    c, d = a * _SPLITTER, b * _SPLITTER
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low


@inlined
def _sum(a, b):
    """a + b as a sum of two float64, the first being the rounded sum (Knuth)."""
    high = a + b
    c = high - a
    return high, (a - (high - c)) + (b - c)


@inlined
def _exp_minus_one(x):
    """k, m and n with e^x = 2^k (1 + m + n) and |m| < 0.42: measured errors: 2^-70, and 2^-69 m if k = 0."""
    k = (x * _PER_LOG2 + _ROUNDER) - _ROUNDER
    m, n = _sum(x - k * _LOG2_HIGH, -k * _LOG2_LOW)
    # e^r - 1 of r = m / 64 by its series, then six times (1 + m)^2 - 1 = 2 m + m^2.
    r = m / 64.0
    square, rest = _product(r, r)
    m, low = _sum(r, square / 2.0)
    m, n = _sum(m, low + (rest / 2.0 + (n / 64.0 * (1.0 + r) + r * square * _exp_tail(r))))
    for _ in range(6):
        square, rest = _product(m, m)
        rest += 2.0 * n + 2.0 * m * n
        m, low = _sum(2.0 * m, square)
        m, n = _sum(m, low + rest)
    return k, m, n


@inlined
def nearest_exp(x):
    """e^x of a float64 between -700 and 700, rounded to the nearest."""
    k, m, n = _exp_minus_one(x)
    high, low = _sum(1.0, m)
    return (high + (low + n)) * np.int64((np.int64(k) + _BIAS) << _EXPONENT).view(np.float64)


@inlined
def _log_and_rest(x):
    """The logarithm of a float64 as a sum of two: `log`, and what it lacks."""
    y = log(x)
    k, m, n = _exp_minus_one(-y)
    x *= np.int64((np.int64(k) + _BIAS) << _EXPONENT).view(np.float64)
    high, low = _product(x, m)
    return y, ((x - 1.0) + high) + (low + x * n)  # x e^-y - 1


@inlined
def nearest_log(x):
    """Natural logarithm of a float64 between e^-700 and e^700, rounded to the nearest."""
    y, rest = _log_and_rest(x)
    return y + rest


@inlined
def nearest_log2(x):
    """Logarithm to the base 2 of a float64 between e^-700 and e^700, rounded to the nearest."""
    y, rest = _log_and_rest(x)
    high, low = _product(y, _PER_LOG2)
    return high + (low + (y * _PER_LOG2_LOW + rest * _PER_LOG2))


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
