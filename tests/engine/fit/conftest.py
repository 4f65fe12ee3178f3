"""What the tests of changed vocabularies share."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def few_lines(few_fuzz_lines: None) -> None:
    """See `few_fuzz_lines`."""
