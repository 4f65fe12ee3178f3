"""The lessons' Unigram LM: the worked examples, tie by tie, and what must always hold."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.toys.unigram import (
    all_segmentations,
    best_segmentation,
    corpus_loss,
    count_substrings,
    em_step,
    leave_one_out,
    probabilities,
    strict_substrings,
    unigram_steps,
    viterbi_cells,
)
from engine.errors import InputError
from tests.engine.merges.test_wordpiece import HUG

few = settings(max_examples=60, deadline=None, derandomize=True)

CATS = {"c": -2.5, "a": -2.3, "t": -2.4, "s": -2.6, "ca": -1.8, "cat": -1.2, "cats": -3.0, "at": -1.9, "ats": -2.1}
CATS |= {"ts": -2.0}


def hug() -> dict[str, float]:
    return probabilities(strict_substrings(HUG))


def test_the_base_vocabulary_of_the_slides() -> None:
    counts = strict_substrings(HUG)
    assert counts == {
        "h": 15,
        "u": 36,
        "g": 20,
        "hu": 15,
        "ug": 20,
        "p": 17,
        "pu": 17,
        "n": 16,
        "un": 16,
        "b": 4,
        "bu": 4,
        "s": 5,
        "hug": 15,
        "gs": 5,
        "ugs": 5,
    }
    assert sum(counts.values()) == 210
    assert list(counts)[:5] == ["h", "u", "g", "hu", "ug"]


def test_the_segmentations_of_pug() -> None:
    # The course prints 5/210 for p and pu, which occur 17 times: 5 is what pug occurs.
    prob = {segmentation.tokens: segmentation.prob for segmentation in all_segmentations("pug", hug())}
    assert prob["p", "u", "g"] == pytest.approx(17 * 36 * 20 / 210**3)
    assert prob["p", "u", "g"] == pytest.approx(0.0013217, abs=5e-8)
    assert prob["pu", "g"] == prob["p", "ug"] == pytest.approx(0.0077098, abs=5e-8)
    assert len(prob) == 3


def test_the_viterbi_table_of_unhug() -> None:
    cells = viterbi_cells("unhug", hug())
    best = [cell.best for cell in cells]
    assert [candidate.token for candidate in best] == ["u", "un", "h", "hu", "hug"]
    scores = [0.171429, 0.076190, 0.005442, 0.005442, 0.005442]
    assert [math.exp(candidate.total) for candidate in best] == pytest.approx(scores, abs=5e-7)
    assert best_segmentation("unhug", hug())[0] == ("un", "hug")
    assert [len(cell.ties) for cell in cells] == [1, 1, 1, 1, 1]


def test_cats_is_a_perfect_tie() -> None:
    prob = {token: math.exp(log_prob) for token, log_prob in CATS.items()}
    assert best_segmentation("cats", prob)[0] == ("cats",)
    # Without the token cats, ca+ts and cat+s both have -3.8. The book says cat s; the earlier begin wins here, as in
    # sentencepiece and tokenizers.
    tokens, log_prob = best_segmentation("cats", prob, without="cats")
    assert tokens == ("ca", "ts") and log_prob == pytest.approx(-3.8)
    assert [candidate.token for candidate in viterbi_cells("cats", prob, "cats")[-1].ties] == ["ts", "s"]


def test_the_loss_of_the_hug_corpus() -> None:
    prob = hug()
    assert corpus_loss(HUG, prob) == pytest.approx(169.80, abs=0.005)
    increase = leave_one_out(HUG, prob)
    assert set(increase) == {"hu", "ug", "pu", "un", "bu", "gs", "hug", "ugs"}
    # Every other word has an equally good segmentation (hugs: hu+gs, hug+s); only hug has none.
    assert {token for token, loss in increase.items() if loss > 1e-9} == {"hug"}
    assert increase["hug"] == pytest.approx(10 * math.log((15 / 210) / (15 * 20 / 210**2)))


def test_removal_decreases_the_likelihood_least() -> None:
    """The textbook's exercise 2.2.1 (c) says "increases": leaving a token out never makes the corpus more likely."""
    assert min(leave_one_out(HUG, hug()).values()) >= 0


def test_one_token_a_round() -> None:
    steps = list(unigram_steps(HUG, strict_substrings(HUG), 10))
    assert [len(step.prob) for step in steps] == [15, 14, 13, 12, 11, 10]
    assert [len(step.removed) for step in steps] == [1] * 5 + [0]
    assert steps[0].loss == pytest.approx(169.80, abs=0.005)
    assert all("hug" in step.prob for step in steps)
    for step in steps:
        assert sum(step.prob.values()) == pytest.approx(1)
        assert step.removed == tuple(sorted(step.removed, key=step.increase.get))


def test_a_share_a_round_lands_on_the_size() -> None:
    steps = list(unigram_steps(HUG, strict_substrings(HUG), 9, share=0.4, em_iterations=2))
    assert [len(step.removed) for step in steps] == [3, 2, 1, 0]
    assert len(steps[-1].prob) == 9


def test_em_never_lowers_the_likelihood() -> None:
    prob = hug()
    likelihoods = []
    for _ in range(8):
        step = em_step(HUG, prob)
        likelihoods.append(step.log_likelihood)
        prob = step.prob
        assert sum(prob.values()) == pytest.approx(1)
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(likelihoods))


def test_a_bpe_vocabulary_as_base() -> None:
    counts = count_substrings(HUG, ["ug", "un", "hug", "nowhere"])
    assert counts == {"ug": 20, "un": 16, "hug": 15, "h": 15, "u": 36, "g": 20, "p": 17, "n": 16, "b": 4, "s": 5}
    assert count_substrings({"aaa": 2}, ["aa"]) == {"aa": 4, "a": 6}


words = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 9), min_size=1, max_size=5)


@few
@given(words)
def test_em_and_viterbi_against_all_segmentations(corpus: dict[str, int]) -> None:
    counts = strict_substrings(corpus)
    prob = probabilities(counts)
    expected = dict.fromkeys(prob, 0.0)
    for word, count in corpus.items():
        listed = all_segmentations(word, prob)
        total = sum(segmentation.prob for segmentation in listed)
        for segmentation in listed:
            for token in segmentation.tokens:
                expected[token] += count * segmentation.prob / total
        tokens, log_prob = best_segmentation(word, prob)
        assert log_prob == pytest.approx(math.log(listed[0].prob))
        assert "".join(tokens) == word
    assert em_step(corpus, prob).expected == pytest.approx(expected)


@few
@given(words)
def test_leaving_out_is_exact(corpus: dict[str, int]) -> None:
    prob = probabilities(strict_substrings(corpus))
    loss = corpus_loss(corpus, prob)
    for token, increase in leave_one_out(corpus, prob).items():
        without = {other: p for other, p in prob.items() if other != token}
        assert increase == pytest.approx(corpus_loss(corpus, without) - loss, abs=1e-9)


def test_mistakes() -> None:
    counts = strict_substrings(HUG)
    with pytest.raises(InputError, match="7 single characters"):
        unigram_steps(HUG, counts, 6)
    with pytest.raises(InputError, match="share"):
        unigram_steps(HUG, counts, 10, share=1.0)
    with pytest.raises(InputError, match="too long"):
        all_segmentations("a" * 13, {"a": 1.0})
    with pytest.raises(InputError, match="cannot be written"):
        em_step({"ab": 1}, {"a": 1.0})
    assert best_segmentation("ab", {"a": 1.0}) == ((), -math.inf)
    assert corpus_loss({"ab": 1}, {"a": 1.0}) == math.inf
