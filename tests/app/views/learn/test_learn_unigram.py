"""Tables and frames of the Unigram lesson: the golden numbers of the slides, the course and the textbook."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.players import viterbi_payload
from app.parts.tables.learn.unigram import (
    cell_table,
    cheapest,
    count_table,
    listed_segmentations,
    loss_rows,
    rounds_table,
    segmentation_table,
    source_table,
    toy_viterbi_data,
)
from app.parts.tables.learn.unigram_frames import em_frames, em_iterations, example_word, pruning_frames
from app.parts.toy_words import presets
from app.toys.corpus import count_words
from app.toys.unigram import (
    TEXTBOOK,
    best_segmentation,
    count_substrings,
    probabilities,
    strict_substrings,
    unigram_steps,
)
from app.views.learn_unigram.training import pruning_figure
from app.views.learn_unigram.word import WORDS

HUG = count_words("hug:10 pug:5 pun:12 bun:4 hugs:5")
COUNTS = strict_substrings(HUG)
PROB = probabilities(COUNTS)


def _segmentations(word: str, prob: dict[str, float], counts: dict[str, int] | None = None):
    return segmentation_table(listed_segmentations(word, prob), prob, counts)


def test_counts_and_products_are_written_out() -> None:
    table = count_table(COUNTS)
    assert table["count"].sum() == 210
    assert dict(zip(table["token"], table["fraction"], strict=True))["pu"] == "17/210"
    pug = _segmentations("pug", PROB, COUNTS)
    assert pug["tokens"].tolist() == ["p | ug", "pu | g", "p | u | g"]
    assert pug["product"].tolist()[1:] == ["17/210 × 20/210", "17/210 × 36/210 × 20/210"]
    assert pug["prob"].tolist()[1:] == pytest.approx([0.0077098, 0.0013217], abs=5e-8)
    assert pug["verdict"].tolist() == ["best", "tie", ""]
    assert pug["share"].sum() == pytest.approx(1)


def test_the_cells_of_the_slides() -> None:
    table = cell_table("unhug", PROB)
    assert table["prob"].round(6).tolist() == [0.171429, 0.07619, 0.005442, 0.005442, 0.005442]
    assert table["tokens"].tolist() == ["u", "un", "un | h", "un | hu", "un | hug"]


def test_where_the_sources_are_wrong() -> None:
    table = source_table(COUNTS, PROB).set_index("what")
    assert table.loc["P(p)", ["printed", "here"]].tolist() == ["5/210", "17/210"]
    assert table.loc["P(pu, g)", ["printed", "here"]].tolist() == ["0.0022676", "0.0077098"]
    assert table[table["source"] == "slides"]["same"].tolist() == [True, False, True, True, True]


def test_the_textbooks_tie() -> None:
    given_ = {token: math.exp(value) for token, value in TEXTBOOK.items()}
    assert best_segmentation("cats", given_) == (("cats",), pytest.approx(-3.0))
    del given_["cats"]
    table = _segmentations("cats", given_)
    assert table["tokens"].tolist()[:2] == ["ca | ts", "cat | s"]
    assert table["log_prob"].tolist()[:2] == pytest.approx([-3.8, -3.8])
    assert table["verdict"].tolist()[:3] == ["best", "tie", ""]
    assert table["product"].iloc[0] == "e^(−1.8) × e^(−2.0)"
    step = toy_viterbi_data("cats", given_)["steps"][-1]
    assert [(c["winner"], c["tie"]) for c in step["candidates"]].count((True, False)) == 1
    assert any(c["tie"] for c in step["candidates"])


@given(st.text("hugpnbs", min_size=1, max_size=9))
def test_the_viterbi_table_is_what_the_component_takes(word: str) -> None:
    data = toy_viterbi_data(word, PROB)
    payload = viterbi_payload(data)
    tokens, log_prob = best_segmentation(word, PROB)
    assert tuple(data["arcs"][arc]["label"] for arc in data["path"]) == tokens
    assert payload["total"] == pytest.approx(log_prob)


def test_every_round_says_who_goes_and_why() -> None:
    steps = list(unigram_steps(HUG, COUNTS, 7))
    table = rounds_table(steps)
    assert table["loss"].iloc[0] == pytest.approx(169.80, abs=0.005)
    assert table["removed"].tolist() == ["bu", "gs", "ugs", "hu", "pu", "ug", "un", "hug", ""]
    assert table["size"].tolist() == list(range(15, 6, -1))
    assert set(cheapest(steps[0])) == {"hu", "ug", "pu", "un", "bu", "gs", "ugs"}
    for step in steps:
        for token in step.removed:
            parts = loss_rows(HUG, step.prob, token)
            assert sum(row[4] for row in parts) == pytest.approx(step.increase[token], abs=1e-9)
    frames = pruning_frames(HUG, steps, "en")
    assert "No word's best segmentation uses bu" in frames[0]["note"]
    assert "7 tokens tie" in frames[0]["note"]
    assert "an equally probable segmentation" in frames[2]["note"]
    assert "grows by 7.58" in frames[5]["note"]
    assert frames[-1]["note"].endswith("Only characters remain.")
    assert len(pruning_figure(table, "t", ("x", "y"), "en").data[0].x) == len(steps)
    assert not pruning_figure(table.head(1), "t", ("x", "y"), "en").data


def test_em_never_lowers_the_likelihood_and_shares_every_count_out() -> None:
    steps = em_iterations(HUG, PROB, 8)
    likelihood = [step.log_likelihood for step in steps]
    assert likelihood == sorted(likelihood)
    word = example_word(HUG, PROB)
    assert word == "pun"
    frames = em_frames(HUG, PROB, steps, word, "ko")
    assert len(frames) == 8
    shares = [float(row[3]) for row in frames[0]["blocks"][0]["rows"]]
    assert sum(shares) == pytest.approx(12, abs=0.002)
    assert example_word({"a": 3}, {"a": 1.0}) == ""


def test_words_stay_writable_when_em_starves_their_characters() -> None:
    base = count_substrings(HUG, ["bun", "pun", "un", "hug", "pug", "hugs"])
    steps = list(unigram_steps(HUG, base, sum(len(token) == 1 for token in base), None, 2))
    assert all(math.isfinite(step.loss) and all(step.segmentations.values()) for step in steps)
    assert all(math.isfinite(cost) for step in steps for cost in step.increase.values())


def test_every_preset_has_a_word_that_can_be_written() -> None:
    assert set(WORDS) == set(presets())
    for name, word in WORDS.items():
        words = count_words(presets()[name])
        assert word not in words or name == "low_textbook"
        n = len(listed_segmentations(word, probabilities(strict_substrings(words))))
        # Words of two syllables have no shorter substrings than characters.
        assert n > 1 or name == "korean"
