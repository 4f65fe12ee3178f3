"""Tables of the trade-off lesson: the lesson's arithmetic, coverage, unknown words."""

import pytest

from app.parts.tables.learn.tradeoff import (
    LESSON_SENTENCE,
    LESSON_SUBWORDS,
    attention_pairs,
    cost_table,
    coverage_table,
    embedding_parameters,
    ranked_words,
    unknown_words,
    with_unknown,
)

TRAIN, TEST = ["a a a b b c"], ["a b d d", "c b"]


def test_the_lessons_sentence_in_three_ways() -> None:
    counts = len(LESSON_SENTENCE), len(LESSON_SENTENCE.split()), len(LESSON_SUBWORDS)
    assert counts == (26, 3, 6)
    assert "".join(LESSON_SUBWORDS) == LESSON_SENTENCE.replace(" ", "")


def test_the_lessons_arithmetic() -> None:
    assert embedding_parameters(50_257, 768, 1) == 38_597_376
    assert embedding_parameters(256, 768, 1) == 196_608
    assert embedding_parameters(32_000, 4096) == 262_144_000
    assert embedding_parameters(256, 4096) == 2_097_152
    assert attention_pairs(4 * 512) == 16 * attention_pairs(512)
    table = cost_table(["subwords", "characters"], [32_000, 256], [512, 2048], 4096, 2, 0)
    assert table["times_pairs"].tolist() == [1, 16]
    assert table["times_parameters"].tolist() == [1, 0.008]
    assert table["parameters"].tolist() == [262_144_000, 2_097_152]


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
