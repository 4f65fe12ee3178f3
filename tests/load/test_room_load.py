"""A class of twenty in one room, whose server is killed in the middle: nothing is lost, nobody answers twice."""

import pytest

from tests.load.room import run_room


@pytest.mark.slow(seconds=60)
def test_a_class_outlives_its_server() -> None:
    result = run_room(students=20, rooms=1, seconds=4.0, is_restarted=True)
    assert result.errors == []
    assert result.taken == [20, 20, 20]
