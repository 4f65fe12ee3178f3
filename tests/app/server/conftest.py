"""Workers are processes, as on a server: these tests are about them."""

import pytest


@pytest.fixture(autouse=True)
def _workers() -> None:
    """Not the threads of the pages' tests."""
