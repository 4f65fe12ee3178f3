"""Description length: by its definition."""

from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.evidence.description import description_length


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
def test_both_parts_by_their_definition(counts):
    spellings = [b"a", b"ab", b"b", b"\xea\xb0\x80"]
    told = [(count, spelling) for count, spelling in zip(counts, spellings, strict=True) if count]
    n = sum(counts)
    marks = [bytes([byte]) for _, spelling in told for byte in spelling] + [b"end"] * len(told)
    text = -sum(count * log2(count / n) for count, _ in told)
    vocabulary = -sum(log2(marks.count(mark) / len(marks)) for mark in marks) + log2(comb(n - 1, len(told) - 1))
    assert description_length(np.array(counts), spellings) == pytest.approx((text, vocabulary))
