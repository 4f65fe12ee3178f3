"""Comparing vocabularies: the parts of a Venn diagram, composition, lengths, and the page."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parts.data_table import MAX_ROWS
from app.parts.tables.tokens import token_forms
from app.views.compare.ablation import (
    FIRST,
    GRID,
    LAST,
    PAPER_SCORES,
    PAPER_SEEDS,
    SCORES,
    STEPS,
    Effect,
    ablation_table,
    change,
    effect,
)
from app.views.compare.audit import count_table, group_table, syllable_table
from app.views.compare.vocabularies import (
    jaccard,
    joined,
    length_table,
    make_up,
    only_in,
    overlap_figure,
    overlap_table,
    unite,
)
from engine import TrainingSettings, train
from engine.audit.audit import audit
from engine.pruning_scores import PRUNING_SCORES
from tests.pages import open_page, settle, when_made

_SETS = st.lists(
    st.frozensets(st.sampled_from([b"a", b"b", b"ab", "가".encode(), b" a b", b"\xec"])), min_size=2, max_size=4
)


@pytest.mark.slow
@given(_SETS)
def test_the_parts_are_disjoint_and_make_up_the_union(sets: list[frozenset[bytes]]) -> None:
    united = unite(sets)
    table = overlap_table(united)
    union = frozenset().union(*sets)
    assert table["count"].sum() == len(union)
    for _, row in table.iterrows():
        inside = frozenset.intersection(*(sets[k] for k in row["members"]))
        outside = frozenset().union(*(one for k, one in enumerate(sets) if k not in row["members"]))
        assert row["count"] == len(inside - outside)
    for place, one in enumerate(sets):
        others = frozenset().union(*(other for k, other in enumerate(sets) if k != place))
        assert len(only_in(united, place)) == len(one - others)
    shared, either = len(sets[0] & sets[1]), len(sets[0] | sets[1])
    assert jaccard(united, 0, 1) == (shared / either if either else 1)


def test_names_of_files_are_no_links_in_the_figure() -> None:
    for n in (2, 3, 4):
        names = [f'<a href="http://evil.example">{k}</a>' for k in range(n)]
        sets = [frozenset([b"a", bytes([k])]) for k in range(n)]
        table = overlap_table(unite(sets))
        assert "<a " in joined(names, range(n))
        figure = overlap_figure(table, names, "T", "A", "en")
        assert figure.layout.title.text == "T" and "<a " not in str(figure.to_json()).replace("\\u003c", "<")


def test_composition_and_lengths() -> None:
    tokens = token_forms([b"a", b"\xec", "가다".encode(), " 수 있는".encode(), "입니다.".encode()])
    shares = make_up(tokens)
    assert shares == {"byte": 0.2, "character": 0.2, "word": 0.4, "phrase": 0.2, "multi_word": 0.2, "punctuated": 0.2}
    table = length_table(tokens, 3).set_index("length")["share"]
    assert table.tolist() == [0.2, 0.2, 0.2, 0.4]


def test_a_step_is_all_that_differs_in_its_pairs() -> None:
    # A tokens-per-word of its own for every recipe: the product of what each part costs.
    cost = {"gpt2": 2.0, "thunder-tok": 1.0, "ngrams": 1.0, "linguistic": 3.0, "ml": 4.0, "be_p": 5.0, "tokens": 4.0}
    cost["bpe"] = 1.5
    fertility = {one: cost[one.pretokenizer] * cost[one.seed] * cost[one.score] for one in GRID}
    found = {step.name: effect(step, fertility) for step in STEPS}
    assert found["pretokenizer"] == Effect(-50, 4, 4)
    assert found["seed"] == Effect(200, 0, 4)
    assert found["score"].mean == pytest.approx(25) and found["score"][1:] == (0, 4)
    assert found["tokens"].mean == pytest.approx(-20) and found["tokens"][1:] == (4, 4)
    assert found["bpe"] == Effect(-50, 4, 4)
    assert change(fertility) == pytest.approx(100 * (1 * 3 * 5 / (2 * 1 * 4) - 1))


def test_what_is_not_the_papers_leaves_the_papers_steps_as_they_are() -> None:
    papers_own = [one for one in GRID if one.score in PAPER_SCORES and one.seed in PAPER_SEEDS]
    fertility = {one: float(2 + (one.score == "be_p")) for one in papers_own}
    more = {one: 9.0 + (one.seed == "ngrams") for one in GRID} | fertility
    papers = [step for step in STEPS if step.name not in ("tokens", "bpe")]
    assert [effect(step, more) for step in papers] == [effect(step, fertility) for step in papers]
    assert effect(papers[-1], more) == Effect(50, 0, 4) and change(more) == change(fertility) == 50


def test_every_score_is_in_the_grid() -> None:
    """Except those that no paper prunes by, with 18 more trainings."""
    others = {"be", "p", "neighbour_be"}
    assert set(PRUNING_SCORES) - others == set(SCORES) and others <= set(PRUNING_SCORES)


def test_the_ablation_table_has_a_row_for_each_recipe() -> None:
    some = {FIRST: 2.5, LAST: 2.0}
    table = ablation_table(some, lambda what, value: f"{what}={value}")
    assert table.to_dict("records") == [
        {
            "pretokenizer": "pretokenizer=gpt2",
            "seed": "seed=ngrams",
            "score": "score=ml",
            "fertility": 2.5,
            "recipe": "seed=ngrams · score=ml",
        },
        {
            "pretokenizer": "pretokenizer=thunder-tok",
            "seed": "seed=linguistic",
            "score": "score=be_p",
            "fertility": 2.0,
            "recipe": "seed=linguistic · score=be_p",
        },
    ]


@pytest.mark.parametrize("view", ["vocabularies", pytest.param("ablation", marks=pytest.mark.slow)])
@pytest.mark.usefixtures("shared_registry")
def test_the_page(view: str) -> None:
    link = {"lang": "en", "view": view, "with": "characters.bytes.words", "ablation": "1000"}
    app = settle(open_page("compare", **link))
    if view == "ablation":
        assert len(app.dataframe[0].value) == 18
        assert any("All three together" in one.value and "Tokens saved" in one.value for one in app.markdown)
    else:
        table = app.dataframe[0].value
        # The bytes 0 to 127 are characters too.
        assert table["names"].str.contains("∩").any()


@pytest.mark.usefixtures("shared_registry")
def test_the_audit_shows_what_the_engine_finds() -> None:
    app = when_made(
        settle(open_page("compare", lang="en", view="audit", finding="impossible", **{"with": "byte-bpe.wordpiece"}))
    )
    counts = app.dataframe[0].value.set_index("finding")
    assert counts.loc["Invalid bytes"].tolist()[-2:] == [13, 0]  # C0, C1 and F5 to FF; WordPiece has no bytes
    assert not {"Unused in the text", "Only a step of a merge"} & set(counts.index)
    every = app.dataframe[1].value
    assert every["count"].sum() and set(every["finding"]) >= {"Never chosen", "Part of a character"}
    listed = app.dataframe[2].value
    assert listed.groupby("name", sort=False).size().tolist() == [13, 13]
    assert listed["link"].str.contains(r"/explore\?lang=en&model=.+&text=~%23\d+&with=none").all()


@pytest.mark.usefixtures("shared_registry")
def test_with_a_text_the_audit_counts_its_tokens() -> None:
    app = when_made(
        settle(open_page("compare", lang="en", view="audit", finding="unused", counted="ko-news", model="public:gpt2"))
    )
    counts = app.dataframe[0].value.set_index("finding")["1. GPT-2"]
    assert counts["Unused in the text"] > 40_000 and counts["Only a step of a merge"] > 0
    assert app.dataframe[2].value["id"].size == MAX_ROWS  # listed; the file has them all


def test_shares_and_syllables_of_an_audit_add_up() -> None:
    found = audit(train(["가나 가나 가다"], TrainingSettings(algorithm="byte-bpe", vocab_size=260)))
    table = group_table({"one": found}).set_index("group")["share"]
    assert table["broken"] == pytest.approx(131 / 260) and table["junk"] == 0
    counts = count_table({"one": found}, ("broken", "unused"))
    assert counts["one"].tolist() == [131, pd.NA]
    assert syllable_table({"one": found}, "+")["syllables"].tolist() == [1, 63, 11108]
