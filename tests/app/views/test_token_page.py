"""One token: its sentences give the trainer's branching entropy, its neighbours are counted, the page opens."""

import io
import json
import math
import re
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.parts.tables.tokens import find_rows, token_catalogue
from app.texts.catalogue import translate
from app.views.token import tables
from app.views.token.tables import (
    allomorph_table,
    entropy_scatter,
    growth_of_prefix,
    initials,
    relatives,
    sampled_shares,
    search_tokens,
    sentence_shares,
)
from engine.config import TrainingSettings
from engine.errors import InputError
from engine.hangul.allomorphs import SETS, allomorphs
from engine.measure.contexts import contexts_of
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import build_corpus, train
from tests.pages import go_to, open_page, settle
from tests.seen import marked_round

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


def test_allomorphs_are_sets_and_lie_side_by_side(model: Model) -> None:
    assert [one.form for one in allomorphs("ㅂ니다?")] == ["습니다?", "ㅂ니다?"]
    assert allomorphs("니다.") == allomorphs("습니다.") and not allomorphs("나무") and not allomorphs("")
    every = [form for forms in SETS for form in forms]
    assert len(set(every)) == len(every)
    forms = allomorphs("이")
    number = model.last_round
    table = allomorph_table(model, LINES, forms, number)
    for (_, text), row in zip(forms, table.itertuples(), strict=True):
        assert row.string == sum(line.count(text) for line in LINES)
        own = model.tokens.index(text.encode()) if text.encode() in model.tokens else None
        cuts = [model.segment(line, number)[0] for line in LINES]
        assert row.token == (0 if own is None else sum(int((cut == own).sum()) for cut in cuts))
        is_alive = own is not None and own in model.alive_rows(number)
        assert math.isnan(row.p) != is_alive
        if is_alive:
            assert row.p == model.history[number].sentence_prob[np.searchsorted(model.alive_rows(number), own)]


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


def test_shares_of_some_sentences_are_those_of_all(model: Model) -> None:
    row = model.tokens.index("나무".encode())
    every = sentence_shares(model, LINES, row, 0, "sentence")
    assert every is not None
    shares = every["inclusion"].table.set_index("sentence")["share"]
    for limit in (2, 100):
        found = sampled_shares(model, LINES, row, 0, limit)
        assert (found.n_contexts, found.entropy) == (4, pytest.approx(every["inclusion"].entropy))
        assert len(found.table) == min(limit, 4)
        for sentence, share in zip(found.table["sentence"], found.table["share"], strict=True):
            assert share == pytest.approx(shares[sentence])


def _spec(chart: Any) -> dict[str, Any]:
    return dict(json.loads(chart.proto.spec))


def _keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.get("download_button")}


def _round(app: AppTest) -> int:
    return next(slider.value for slider in app.slider if slider.key.endswith("round"))


@pytest.mark.usefixtures("prepared")
def test_the_page() -> None:
    app = open_page("token", lang="en", find="대한민국", which="3", more="all")
    last = _round(app)
    assert any(f"Round {last}, the finished vocabulary" in one.value for one in app.caption)
    assert app.selectbox[0].value == 2
    # A table of few rows is as tall as they are: Streamlit's own choice.
    assert not any("height" in str(one.proto) for one in app.dataframe)
    shares = next(data for data in map(_spec, app.get("plotly_chart")) if data["data"][0].get("orientation") == "h")
    assert shares["layout"]["xaxis"]["tickformat"] == "~%"  # no two ticks alike
    # Another token begins with its own first sentence.
    app.session_state["token"] = "␣있습니다."
    assert not app.run().exception
    assert app.selectbox[0].value == 0 and app.query_params.get("which") is None
    # The page's own token is the last of the scatter's, marked by a star.
    scatter = json.loads(app.get("plotly_chart")[-1].proto.spec)
    assert scatter["data"][-1]["text"] == ["␣있습니다."]
    app.session_state["token"] = "<0xEC>"
    assert not app.run().exception
    # What is no token is cut, found in the text, and leads to its lattice.
    app.session_state["token"] = "남자 양궁"
    assert not app.run().exception
    assert app.dataframe[0].value.iloc[:, 0].tolist() == ["남자␣양궁", "␣남자␣양궁"]
    assert (app.dataframe[0].value.iloc[:, 2] > 1).all()
    to_lattice, to_search = (link.proto.query_string for link in app.main.get("page_link"))
    assert to_lattice == "from=string" and parse_qs(to_search)["q"] == ["~남자 양궁"]
    app.query_params["from"] = "string"
    go_to(app, "lattice")
    assert app.session_state["lattice.text"] == "남자 양궁"
    assert "from" not in app.query_params
    go_to(app, "token")
    app.session_state["choice.view"] = "vocabulary"
    assert not app.run().exception


@pytest.mark.usefixtures("prepared")
def test_the_page_opens_on_a_token_with_its_life() -> None:
    app = open_page("token", lang="en")
    heading = next(one.value for one in app.subheader if one.value.startswith("Token “"))
    life = _spec(app.get("plotly_chart")[0])
    named = [trace["name"] for trace in life["data"] if trace["type"] == "scatter" and "name" in trace]
    assert heading == f"Token “{named[0]}”" and len(named) == 1
    assert marked_round(app, life) == _round(app)
    assert "find" not in app.query_params  # a choice of nobody's
    # Nothing of the closed line is drawn.
    assert translate("token.growth", "en") not in [one.value for one in app.subheader]


@pytest.mark.usefixtures("prepared")
def test_a_removed_token_is_said_to_be_one() -> None:
    app = open_page("scores", lang="en")
    assert _round(app) == 0
    # 대한민 lives in the seed vocabulary only as long as the rounds let it.
    app.session_state["token"] = "대한민"
    # Scores looks at the seed vocabulary, Token at the finished one; each keeps its own round.
    go_to(app, "token")
    last = _round(app)
    assert last > 0 and re.search(r"removed in round \d+ \(†\)", app.info[0].value)
    # Of the tokens around it in the seed vocabulary some are in the finished one and some are not.
    app.session_state["token.round"] = 0
    app.run()
    assert "finished vocabulary does not have it" in app.info[0].value
    around = app.button_group(key="tokens.around").options
    assert any(label.endswith(" †") for label in around) and not all(label.endswith(" †") for label in around)
    go_to(app, "scores")
    app.session_state["token"] = "대한민국의 "
    go_to(app, "token")
    assert _round(app) == 0
    app.session_state["token.round"] = last
    go_to(app, "scores")
    assert _round(app) == 0


@pytest.mark.usefixtures("prepared")
def test_of_a_token_in_too_many_sentences_some_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_SENTENCES", 5)
    monkeypatch.setattr(tables, "_N_SAMPLED", 40)
    app = open_page("token", lang="en", find="에서")
    specs = [_spec(chart) for chart in app.get("plotly_chart")]
    shares = next(spec for spec in specs if spec["data"][0].get("orientation") == "h")
    assert len(shares["data"][1]["text"]) == 25  # the first of those that were looked at
    (histogram,) = [spec for spec in specs if spec["data"][0]["type"] == "histogram"]
    assert len(histogram["layout"]["shapes"]) == 1  # where BE is


@pytest.mark.usefixtures("prepared")
def test_the_file_of_found_tokens_has_ids_and_plain_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.download_button", lambda _, data, file_name, **rest: made.update({file_name: data}))
    app = open_page("token", lang="en", view="vocabulary", search="␣한", units="nat")
    shown = app.dataframe[0].value
    (file,) = [file for name, file in made.items() if name.startswith("vocabulary-nat_") and name.endswith(".csv")]
    table = pd.read_csv(io.BytesIO(file()))
    assert list(table)[:3] == ["id", "token", "level"] and {"log_prob", "frequency"} <= set(table)
    assert table["token"].tolist() == [token.replace("␣", " ") for token in shown["token"]]
    assert all(token.startswith(" 한") for token in table["token"]) and len(table) > 3
    assert (table["log_prob"] < 0).all() and (table["frequency"] > 0).all() and table["id"].between(256, 1999).all()


def test_a_token_is_found_by_its_id(model: Model) -> None:
    catalogue = token_catalogue(model)
    for token_id in (0, 255, model.vocab_size - 1):
        (row,) = find_rows(catalogue, f"#{token_id}")
        assert model.ids[row] == token_id
    assert not find_rows(catalogue, f"#{model.vocab_size}").size and not find_rows(catalogue, "#" + "9" * 5000).size
    app = open_page("token", lang="en", find="#999999")
    assert any("no token with the id 999999" in one.value for one in app.info)


def test_no_number_is_minus_zero() -> None:
    """As the entropy of a token that one sentence alone has would be."""
    app = settle(open_page("token", lang="en", model="toy.hug~vocab_size-264~min_count-1", find="bun", more="all"))
    numbers = [table.value.select_dtypes("number").to_numpy(dtype=float) for table in app.dataframe]
    assert len(numbers) >= 3
    assert not any((np.signbit(values) & (values == 0)).any() for values in numbers)
