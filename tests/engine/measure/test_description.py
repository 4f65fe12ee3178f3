"""Description length: by its definition, and read off the merges as if the text had been encoded after each."""

from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import TrainingSettings, train
from engine.measure.description import description_by_merges, description_length


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
def test_both_parts_by_their_definition(counts):
    spellings = [b"a", b"ab", b"b", b"\xea\xb0\x80"]
    told = [(count, spelling) for count, spelling in zip(counts, spellings, strict=True) if count]
    n = sum(counts)
    marks = [bytes([byte]) for _, spelling in told for byte in spelling] + [b"end"] * len(told)
    text = -sum(count * log2(count / n) for count, _ in told)
    vocabulary = -sum(log2(marks.count(mark) / len(marks)) for mark in marks) + log2(comb(n - 1, len(told) - 1))
    found = description_length(np.array(counts), spellings)
    assert found.text == pytest.approx(text)
    assert found.vocabulary == pytest.approx(vocabulary)
    assert found.total == found.text + found.vocabulary


def test_after_each_merge_it_is_that_of_the_encoded_text():
    lines = ["aaa aaaa banana", "가나다 가나 가", "banana aaa"] * 3
    model = train(lines, TrainingSettings(algorithm="byte-bpe", vocab_size=280, pretokenizer="gpt2")).merges
    spellings = [model.token_bytes(i) for i in range(model.vocab_size)]
    numbers = range(model.n_merges + 1)
    by_merges = description_by_merges(model, lines, numbers)
    for number, found in zip(numbers, by_merges, strict=True):
        ids = [token for line in lines for token in model.encode_after(number, line).ids]
        assert found == pytest.approx(description_length(np.bincount(ids, minlength=model.vocab_size), spellings))
    # A vocabulary of bytes alone is the shortest to write, and yet too dear.
    assert by_merges[0].total > min(one.total for one in by_merges)
