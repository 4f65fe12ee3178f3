"""Tables of the trade-off lesson: coverage, unknown words."""

import pytest

from app.parts.tables.learn.tradeoff import (
    LESSON_SENTENCE,
    LESSON_SUBWORDS,
    coverage_table,
    ranked_words,
    unknown_words,
    with_unknown,
)

TRAIN, TEST = ["a a a b b c"], ["a b d d", "c b"]


def test_the_lessons_sentence_in_three_ways() -> None:
    counts = len(LESSON_SENTENCE), len(LESSON_SENTENCE.split()), len(LESSON_SUBWORDS)
    assert counts == (26, 3, 6)
    assert "".join(LESSON_SUBWORDS) == LESSON_SENTENCE.replace(" ", "")


def test_coverage_of_a_new_text() -> None:
    table = coverage_table(TRAIN, TEST, [1, 2, 3, 50])
    words = table[table["unit"] == "words"]
    assert words["vocab_size"].tolist() == [1, 2, 3]
    assert words["unknown"].tolist() == pytest.approx([5 / 6, 3 / 6, 2 / 6])
    assert words["covered"].tolist() == pytest.approx([1 / 6, 3 / 6, 4 / 6])
    # By hand: the space is the most frequent character; d is not in the corpus.
    characters = table[table["unit"] == "characters"]
    assert characters["unknown"].iloc[-1] == pytest.approx(2 / 10)


def test_what_becomes_unknown() -> None:
    known = set(ranked_words(TRAIN)[:2])
    assert unknown_words(TEST, known).to_numpy().tolist() == [["d", 2], ["c", 1]]
    assert with_unknown("a d b c", known) == "a [UNK] b [UNK]"
    assert unknown_words(["a b"], known).empty
