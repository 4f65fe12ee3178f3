"""The Scores and Rounds pages in Streamlit's own simulator: every view, selections, links, odd models."""

import json
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import AttributeDictionary

from app.parts.tables.tokens import REMOVED, SURVIVING, Box
from app.parts.tokens import token_field
from app.server.stored_texts import HeldTexts, checked_text
from app.server.work.jobs import Registry
from app.session import state
from app.session.reference import ModelReference
from app.views.scores import scatter as scores_scatter
from engine.config import SCORES, TrainingSettings
from engine.pruning_scores import PRUNING_SCORES
from engine.unigram.train.trainer import build_corpus, train
from tests.pages import choose_example, go_to, open_page, settle, write
from tests.seen import component_data, marked_round

TEXT = "나무에 꽃이 피었다.\n나무에 새가 앉았다.\n새가 꽃을 보았다!\n<b>눈</b>이 *내렸다*.\n" * 3


pytestmark = pytest.mark.usefixtures("prepared")


def _open(page: str, session: dict[str, Any] | None = None, **params: str) -> AppTest:
    app = open_page(page, session, **{"lang": "ko", **params})
    assert "\ufffd" not in str(app)
    return app


def _held(registry: Registry, text: str, **changes: Any) -> tuple[dict[str, Any], str]:
    """A model of a session's own text, already trained: the session state, and the parameter of the URL."""
    source = checked_text(text)
    settings = TrainingSettings(**{"vocab_size": 270, "shrink": 0.1, **changes})
    reference = ModelReference(source.id, settings)
    key = reference.key(source.digest)
    train(build_corpus(source.read(), settings), settings).save(registry.models.target(key))
    registry.models.add(key)
    return {state.CORPORA: HeldTexts({source.id: source})}, str(reference)


def _figures(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def _selection(points: list[dict[str, int]], box: list[dict[str, Any]]) -> AttributeDictionary:
    indices = [point["point_index"] for point in points]
    content = {"points": points, "point_indices": indices, "box": box, "lasso": []}
    return AttributeDictionary({"selection": AttributeDictionary(content)})


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    "params",
    [{}, {"view": "distributions"}, {"view": "distributions", "shape": "rank"}, {"levels": "phrase", "round": "1"}],
)
def test_every_view_of_scores_draws(params: dict[str, str], lang: str) -> None:
    app = _open("scores", **{"lang": lang, **params})
    assert all(figure["layout"]["title"]["text"] for figure in _figures(app))
    assert len(_figures(app)) == (3 if params.get("view") else 1)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("page", ["scores", "rounds"])
def test_every_kind_of_score_is_shown(page: str, score: str, registry: Registry) -> None:
    session, reference = _held(registry, TEXT, score=score)
    app = _open(page, session, model=reference)
    assert len(_figures(app)) >= 1
    if page == "scores":
        cards = _open(page, session, model=reference, view="distributions")
        assert len(_figures(cards)) == (4 if PRUNING_SCORES[score].is_stored else 3)


def test_a_model_of_one_round_has_no_slider(registry: Registry) -> None:
    source = checked_text(TEXT)
    probe = TrainingSettings(vocab_size=256)
    from engine.unigram.train.trainer import Trainer

    largest = Trainer(build_corpus(source.read(), probe), probe).feasible[1]
    session, reference = _held(registry, TEXT, vocab_size=largest)
    for page in ("scores", "rounds"):
        app = _open(page, session, model=reference, round="3")
        assert not any(slider.key == "round" for slider in app.slider)
        assert not any("size" in payload for payload in _payloads(app))


def test_a_round_that_the_model_does_not_have_is_clamped(registry: Registry) -> None:
    app = _open("scores", {"round": 99})
    slider = app.slider(key="round")
    assert slider.value == slider.max


def test_a_box_of_the_url_selects_its_tokens() -> None:
    app = _open("scores")
    everything = app.dataframe[1].value
    box = "-2_-1.5_3_4.5"
    app = _open("scores", box=box)
    chosen = app.dataframe[1].value
    assert 0 < len(chosen) < len(everything)
    assert app.query_params["box"] == box
    assert chosen["p"].between(10**-2, 10**-1.5).all()
    app.button(key="scores.box.clear").click().run()
    assert "box" not in app.query_params
    assert len(app.dataframe[1].value) == len(everything)


def test_a_dragged_box_and_a_clicked_point_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    session: dict[str, Any] = {}
    monkeypatch.setattr(scores_scatter.st, "session_state", session)
    monkeypatch.setattr(token_field.st, "session_state", session)
    take = scores_scatter._take_selection
    table = pd.DataFrame({"token": ["가", "나"], "fate": [SURVIVING, REMOVED], "log10_p": -1.0, "be": 2.0})
    session["scores.chart"] = _selection([], [{"xref": "x", "yref": "y", "x": [-1.0, -2.5], "y": [4.0, 8.0]}])
    take(table, 2.0)
    assert session["scores.box"] == Box(-2.5, -1.0, 2.0, 4.0)
    session["scores.chart"] = _selection([{"curve_number": 1, "point_index": 0}], [])
    take(table, 2.0)
    assert session["token"] == "나"
    for odd in ({"curve_number": 7, "point_index": 0}, {"curve_number": 0, "point_index": 9}):
        session["scores.chart"] = _selection([odd], [])
        take(table, 2.0)
    assert session["token"] == "나"


def test_sliders_select_as_a_box_does() -> None:
    app = _open("scores")
    low, high = app.slider(key="scores.be_range").value
    app.slider(key="scores.be_range").set_value((round(high / 2, 2), high)).run()
    assert "box" in app.query_params
    assert (app.dataframe[1].value["be"] >= high / 2 - 0.01).all()
    app.slider(key="scores.be_range").set_value((low, high)).run()
    assert "box" not in app.query_params


@pytest.mark.parametrize("box", ["", "x", "1_2", "nan_1_2_3", "9_-9_1_2"])
def test_a_broken_box_is_ignored(box: str) -> None:
    assert "box" not in _open("scores", box=box).query_params


def test_units_change_every_entropy() -> None:
    bits = _open("scores").dataframe[1].value
    nats = _open("scores", units="nat").dataframe[1].value
    assert nats["be"].max() == pytest.approx(bits["be"].max() * 0.693147, rel=1e-5)
    assert nats["p"].tolist() == bits["p"].tolist()


def test_a_token_that_is_not_there_offers_those_that_contain_it() -> None:
    app = _open("scores", find="수 있")
    similar = app.button_group(key="tokens.similar")
    assert "똑같은 토큰은 없습니다" in similar.label
    similar.select(similar.options[0]).run()
    assert any("search" in link.proto.page for link in app.main.get("page_link"))
    app = _open("rounds", find="없는없는없는")
    assert any("초기 어휘에 없고" in info.value for info in app.info)


@pytest.mark.slow
def test_hostile_text_is_text(registry: Registry) -> None:
    session, reference = _held(registry, TEXT)
    for token in ("<b>", "**", "![x](http://x)", ":smile:", "<script>alert(1)</script>", "$x$", ",", ", ,"):
        for page in ("scores", "rounds"):
            app = _open(page, session, model=reference, find=token)
            assert not any(token in element.value and token.startswith(("<s", "!")) for element in app.markdown)
    app = _open("rounds", session, model=reference, sentence="~<svg onload=alert(1)> \u200b\ufeff뷁")
    assert not app.exception


@pytest.mark.parametrize("order", ["close", "low", "long", "spared"])
def test_the_removed_are_listed_with_their_pieces(order: str) -> None:
    app = _open("rounds", round="1", removed=order)
    tables = [frame.value for frame in app.dataframe if {"rank", "level"} <= set(frame.value.columns)]
    assert len(tables[0]) > 0
    if order != "spared":
        assert tables[0]["pieces"].str.contains(r"\|").all()


def test_a_life_is_told_for_several_tokens() -> None:
    app = _open("rounds", find="에서, 까지")
    told = [element.value for element in app.markdown if element.value.startswith(("**에서", "**까지"))]
    assert len(told) == 2
    life = next(frame.value for frame in app.dataframe if "percentile" in frame.value.columns)
    assert set(life["token"]) == {"에서", "까지"}


def test_a_sentence_is_kept_in_the_url() -> None:
    app = _open("rounds")
    write(app, "rounds.sentence", "영어 사전을 펼쳤다.")
    assert app.query_params["sentence"] == "~영어 사전을 펼쳤다."
    write(app, "rounds.sentence", "")
    assert not app.exception
    choose_example(app, "rounds", "most_changed")
    assert not app.exception
    assert len(app.session_state["rounds.sentence"]) >= 10


def test_a_file_without_its_corpus_says_where_its_sentences_come_from(registry: Registry) -> None:
    _held(registry, TEXT)
    (key,) = registry.models._sizes
    registry.models.target("file.abc").write_bytes(registry.models.target(key).read_bytes())
    registry.models.add("file.abc")
    app = _open("token", model="file.abc", find="꽃")
    assert any("학습 말뭉치가 여기에 없으므로" in caption.value for caption in app.caption)
    app = _open("rounds", model="file.abc", versus="true")
    assert any("말뭉치가 여기에 없어" in info.value for info in app.info)


def test_a_model_of_ones_own_text_opens_by_its_link_and_the_page_for_texts_says_so(registry: Registry) -> None:
    _, reference = _held(registry, TEXT)
    elsewhere = _open("scores", model=reference)
    assert _figures(elsewhere) and [one.icon for one in elsewhere.warning] == [":material/link_off:"]  # the text is not
    said = " ".join(one.value for one in _open("train", kind="paste").caption)
    assert "텍스트는 이 세션에서만" in said and "모델의 링크나 똑같은 텍스트를 가진 사람" in said


@pytest.mark.parametrize("score", [pytest.param("be_p", marks=pytest.mark.slow), "ml"])
def test_the_twin_is_trained_and_compared(score: str, registry: Registry) -> None:
    session, reference = _held(registry, TEXT, score=score)
    app = _open("rounds", session, model=reference, versus="true")
    settle(app)
    assert any("두 어휘가 함께 남긴 토큰은" in element.value for element in app.markdown)
    assert len(_figures(app)) == 2 + 4 + 1


def _payloads(app: AppTest) -> list[dict[str, Any]]:
    """What the components of the page get."""
    return [component_data(element) for element in app.get("bidi_component")]


def _strip_rows(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the strips around the current round, which are the first of the page."""
    return next(list(payload["rows"]) for payload in _payloads(app) if "rows" in payload)


def _rounds(app: AppTest) -> tuple[int, int]:
    """The round that the scrubber of the page Pruning rounds shows, and the last one."""
    return next((payload["start"], payload["size"] - 1) for payload in _payloads(app) if "size" in payload)


def _move(app: AppTest, number: int) -> None:
    app.session_state["round"] = number
    app.run()
    assert not app.exception and _rounds(app)[0] == number


def _moved(app: AppTest) -> tuple[str, list[str], float]:
    """What moves with the round: the current strip, the name of the threshold, the marked round of the life."""
    scores, life = _figures(app)[:2]
    (now,) = [row for row in _strip_rows(app) if row["note"] == "선택한 라운드"]
    names = [note["text"] for note in scores["layout"].get("annotations", []) if "━" in note["text"]]
    return now["name"], names, marked_round(app, life)


def test_one_round_moves_the_sentence_the_scores_and_the_token() -> None:
    app = _open("rounds")
    _, last = _rounds(app)
    seen = []
    for number in (0, 1, last):
        _move(app, number)
        name, threshold, marked = _moved(app)
        low, _, high = name.removeprefix("▶ 라운드 ").partition("–")
        assert int(low) <= number <= int(high or low)
        assert marked == number and bool(threshold) == (number < last)  # the last round removes nothing
        assert app.query_params.get("round") == (str(number) if number else None)
        seen.append(threshold)
    assert seen[0] != seen[1]


def test_the_rounds_open_on_a_token_of_the_sentence_and_show_another_in_its_place() -> None:
    app = _open("rounds", sentence="~대한민국에서 이어진다.")
    (first,) = [trace["name"] for trace in _figures(app)[1]["data"] if trace["type"] == "scatter" and "name" in trace]
    assert any(token["label"] == first.replace("␣", " ") for row in _strip_rows(app) for token in row["tokens"])
    app = _open("rounds", sentence="~대한민국에서 이어진다.", find="에서")
    names = [trace["name"] for trace in _figures(app)[1]["data"] if trace["type"] == "scatter" and "name" in trace]
    assert names == ["에서"]
    assert [link.proto.label for link in app.get("page_link")].count("토큰 상세 보기") == 1


def test_the_details_are_those_of_the_token_that_is_shown() -> None:
    app = _open("rounds", sentence="~대한민국에서 이어진다.")
    (shown,) = [trace["name"] for trace in _figures(app)[1]["data"] if trace["type"] == "scatter" and "name" in trace]
    (link,) = [link.proto for link in app.get("page_link") if link.proto.label == "토큰 상세 보기"]
    go_to(app, "token")
    assert shown not in app.subheader[0].value  # the page has an example of its own
    app.query_params |= {name: value for name, (value,) in parse_qs(link.query_string).items()}
    assert not app.run().exception and shown in app.subheader[0].value
    assert "from" not in app.query_params and app.query_params["find"] == shown


def test_a_round_whose_tokens_the_model_lacks_says_so_and_shows_its_distribution() -> None:
    app = _open("rounds", model="shipped:thunder-tok-8k", round="1", lang="en")
    shown, last = _rounds(app)
    assert shown == 1
    assert any("has all its tokens from round" in info.value for info in app.info)
    assert _figures(app)[0]["layout"]["title"]["text"] == "Distribution of BE×P"
    assert any("stores no tokens of rounds before" in one.value for one in app.markdown)
    _move(app, last)
    assert not app.info and _strip_rows(app)
    first, _ = _rounds(_open("rounds", model="shipped:thunder-tok-8k", lang="en"))
    # The page Scores has no such round.
    app = _open("scores", model="shipped:thunder-tok-8k", round="1", lang="en")
    assert app.slider(key="round").value == first > 0
    assert any("has all its tokens from round" in caption.value for caption in app.caption)
