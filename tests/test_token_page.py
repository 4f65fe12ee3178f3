"""One token: its sentences give the trainer's branching entropy, its neighbours are counted, the page opens."""

import json
import math

import pytest

from app.views.token.tables import (
    entropy_scatter,
    growth_of_prefix,
    initials,
    relatives,
    search_tokens,
    sentence_shares,
)
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.measure.contexts import contexts_of
from engine.unigram.model import Model
from engine.unigram.trainer import train
from engine.unigram.training_corpus import build_corpus
from tests.pages import open_page

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다.", "그 나무는 크다.", "나무 나무 나무"] * 3


@pytest.fixture(scope="module")
def model() -> Model:
    settings = TrainingSettings(vocab_size=280)
    return train(build_corpus(LINES, settings), settings)


@pytest.mark.parametrize("number", [0, None])
def test_the_sentences_add_up_to_the_trainers_entropy(model: Model, number: int | None) -> None:
    table = model.round_table(number)
    checked = 0
    for row, token, be in zip(table["row"], table["token"], table["be"], strict=True):
        every = sentence_shares(model, LINES, int(row), model.round_number(number), "sentence")
        if every is None or len(token) < 2:
            continue
        found = every["inclusion"]
        checked += 1
        assert found.entropy == pytest.approx(be, abs=1e-9)
        if len(found.table):
            assert found.table["share"].sum() == pytest.approx(1)
            assert found.table["share"].is_monotonic_decreasing
    assert checked > 5


def test_memberships_and_contexts_differ_where_a_token_stands_twice(model: Model) -> None:
    row = model.tokens.index("나무".encode())
    found = sentence_shares(model, LINES, row, 0, "sentence")
    assert found is not None and sentence_shares(model, LINES, row, 0, "pretoken") is not None
    inclusion, expected = found["inclusion"], found["expected"]
    marginal = dict(zip(inclusion.table["sentence"], inclusion.table["marginal"], strict=True))
    times = dict(zip(expected.table["sentence"], expected.table["marginal"], strict=True))
    assert all(marginal[one] <= min(1.0, times[one] + 1e-9) for one in marginal)
    assert sentence_shares(model, LINES, 65, 0, "sentence") is None  # a byte


def test_neighbours_of_a_string() -> None:
    found = contexts_of("나무", ["나무에 나무가", "그나무"])
    # left: edge, space, 그; right: 에, 가, edge
    assert (found.n, found.left_variety, found.right_variety) == (3, 3, 3)
    assert found.left_entropy == found.right_entropy == pytest.approx(math.log(3))
    assert found.cohesion == 1.0
    assert contexts_of("aa", ["aaaa"]).n == 3
    assert math.isnan(contexts_of("가", ["가"]).cohesion)
    assert contexts_of("없다", ["가"]).n == 0


def test_prefixes_relatives_and_the_scatter(model: Model) -> None:
    table = growth_of_prefix(model, LINES, "나무에", 0)
    assert table["prefix"].tolist() == ["나", "나무", "나무에"]
    assert table["right_entropy"].iloc[0] == 0  # 나 is always followed by 무
    assert table["right_entropy"].iloc[1] > 0
    row = model.tokens.index("나무".encode())
    inside, around = relatives(model, row, 0)
    assert "나" in inside and all("나무" in token for token in around)
    assert not any("<0x" in token for token in inside)
    scatter = entropy_scatter(model, LINES, 0)
    assert scatter["difference"].between(-1, 1).all()
    for token, entropy in zip(scatter["token"], scatter["right_entropy"], strict=True):
        assert entropy == pytest.approx(contexts_of(token.replace("␣", " "), LINES).right_entropy)


def test_initial_consonants(model: Model) -> None:
    assert initials("나무 a뷁") == "ㄴㅁ aㅂ"
    table = model.round_table(0)
    found = search_tokens(table, "ㄴㅁ", ["character", "word", "phrase"], (0, 99))
    assert found["token"].str.contains("나무").all() and len(found)
    assert len(search_tokens(table, "", ["byte"], (0, 99))) == (table["level"] == "byte").sum()


def test_searching_by_a_regular_expression(model: Model) -> None:
    table = model.round_table(0)
    found = search_tokens(table, "^나무.$", ["word"], (0, 99), is_pattern=True)
    assert set(found["token"]) == {"나무에"} or found["token"].str.fullmatch("나무.").all()
    with pytest.raises(InputError, match="not a valid"):
        search_tokens(table, "(", ["word"], (0, 99), is_pattern=True)


def test_the_page() -> None:
    app = open_page("token", lang="en", find="대한민국")
    app.session_state["token"] = "␣있습니다."
    assert not app.run().exception
    # The page's own token is the last of the scatter's, marked by a star.
    scatter = json.loads(app.get("plotly_chart")[-1].proto.spec)
    assert scatter["data"][-1]["text"] == ["␣있습니다."]
    app.session_state["token"] = "<0xEC>"
    assert not app.run().exception
    app.session_state["choice.view"] = "vocabulary"
    assert not app.run().exception
