"""Kernels count references to arrays only where they allocate or return any; none is lost, none is freed twice."""

import subprocess
import sys

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys  # type: ignore[attr-defined]

from engine._jit import kernel, subkernel


@subkernel
def _zeros(n):
    return np.zeros(n)


@subkernel
def _sum(values, n):
    total = 0.0
    for value in values[:n]:
        total += value
    return total


@kernel
def _sum_of_zeros(n):
    return _sum(_zeros(n), 0) + _sum(_zeros(n), n)


@kernel
def _sum_of_both(pair):
    first, second = pair
    return _sum(first, first.size) + _sum(second, second.size)


@kernel
def _tail(values):
    return values[1:]


@pytest.mark.skipif(not hasattr(_sum.dispatcher, "py_func"), reason="plain Python")
def test_every_array_is_freed_once() -> None:
    values = np.arange(4.0)
    _sum_of_zeros(1)
    _tail(values)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(3):
            assert _sum_of_zeros(3) == 0.0
            assert _sum_of_both((values, values)) == 12.0
            tail = _tail(values)
            assert tail.tolist() == [1.0, 2.0, 3.0]
            del tail
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    made, freed = after.mi_alloc - before.mi_alloc, after.mi_free - before.mi_free
    assert made == freed >= 6
    assert values.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_scipy_is_imported_only_for_what_multiplies_matrices() -> None:
    code = (
        "import sys, engine._compiler, numba, numpy as np\n"
        "assert 'numba.np.arraymath' in sys.modules and 'scipy.linalg' not in sys.modules\n"
        "print(numba.njit(lambda a: np.dot(a, a))(np.ones((2, 2))).sum())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "8.0\n"
