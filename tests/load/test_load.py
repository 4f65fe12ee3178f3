"""A short class: twelve sessions, two of them training, for twelve seconds, and somebody who floods the server."""

import pytest

from tests.load.run import run_load


@pytest.mark.slow(seconds=60)
def test_a_class_sees_no_error_and_memory_levels_off() -> None:
    result = run_load(sessions=12, trainers=2, browsers=1, seconds=12.0, is_hostile=True)
    assert result.errors == []
    assert len(result.times) > 12  # visitors
    assert result.clicks
    # Models and tables are kept up to a bound, so the second half adds little to the first.
    middle = result.memory[len(result.memory) // 2]
    assert result.memory[-1] < 1.6 * middle
