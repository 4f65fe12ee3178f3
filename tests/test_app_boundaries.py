"""The Boundaries page without a browser, and what it is made from."""

import json
import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components.cut_board.widget import CUT_BOARD_LABELS, cut_board_payload
from app.parts.tables.segmentation import joined_surrogates
from app.texts.catalogue import translate
from app.texts.gold import GOLD, builtin_gold, gold_of
from app.views.boundaries import bpe as boundaries_bpe
from app.views.boundaries.tables import distribution_table, profile_table
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.errors import InputError
from tests.pages import open_page


def _open(**params: str) -> AppTest:
    return open_page("boundaries", lang="en", model="toy~vocab_size-300", **params)


def _payloads(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.json) for element in app.get("bidi_component")]


def _strips(app: AppTest) -> list[dict[str, Any]]:
    """Rows of the last strip on the page."""
    return [payload["rows"] for payload in _payloads(app) if payload.get("rows") and "places" not in payload][-1]


def _cut_by(app: AppTest) -> str:
    """Name of the row whose tokens stay inside the boundaries."""
    return str(_strips(app)[-1]["name"])


def test_the_lines_that_are_scored_are_not_learned_from() -> None:
    for name in GOLD:
        gold = builtin_gold(name)
        assert len(gold.test) == 3 * len(gold.words) // 10
        assert not {"".join(words) for words in gold.test} & set(gold.train)
    assert gold_of(["가  나"]).test == gold_of(["가  나"]).words == (("가", "나"),)
    # Two standards for the same sentences.
    assert ["".join(own) for own in builtin_gold("zh_words").words] == [
        "".join(own) for own in builtin_gold("zh_fine").words
    ]


def test_the_curves_and_the_distributions() -> None:
    lines = ["가나다라", "가나마바"]
    ngrams = Ngrams(lines, 6)
    table = profile_table(ngrams, CharacterModel(ngrams, 2), "가나z", "characters")
    assert table["pmi"].notna().tolist() == [True, False, False]
    assert table["right_entropy"].iloc[1] == pytest.approx(0.6931, abs=1e-4)  # 나: 다 or 마
    counts = distribution_table(ngrams, "characters")
    assert counts[counts["kind"] == "pmi"]["count"].sum() == 5


def test_lambda_is_one_for_all_sections_and_travels_in_the_link() -> None:
    app = _open(gold="ko_nospace")
    assert "inside (λ = 4)" in _cut_by(app)
    app.session_state["boundaries.lam"] = 0.5  # what the board's callback does
    app.run()
    assert "inside (λ = 0.5)" in _cut_by(app)
    assert app.query_params["lambda"] == "0.5"
    app.session_state["choice.view"] = "scores"
    app.run()
    assert app.slider(key="boundaries.lam").value == 0.5
    app.slider(key="boundaries.lam").set_value(4.0).run()
    assert "lambda" not in app.query_params


LABELS = dict.fromkeys(CUT_BOARD_LABELS, "x")


def test_the_board_gets_the_numbers_of_the_server() -> None:
    matcher = UtilityMatcher(Ngrams(["가나다라", "가나마바"], 3), 1.0)
    text = "가나\x00z"
    terms = matcher.terms(text)
    payload = cut_board_payload(text, terms, [{"label": "gold", "ends": [2, 4]}], [], LABELS, 1.0)
    assert payload["characters"] == ["가", "나", "<0x00>", "z"]
    for sent, row in zip(payload["pmi"], terms.pmi.tolist(), strict=True):
        assert [value if value is not None else -math.inf for value in sent] == row
    assert payload["entropy"] == terms.entropy.tolist()
    assert json.loads(json.dumps(payload)) == payload  # infinities would not come through


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lam": 16.0}, "from 0 to 15"),
        ({"above": [{"label": "gold", "ends": [1, 3]}]}, "does not cut the text"),
        ({"below": [{"label": "lm", "ends": [2, 2, 4]}]}, "does not cut the text"),
        ({"text": "가"}, "terms of this text"),
        ({"labels": {"title": "x"}}, "are missing"),
    ],
)
def test_what_the_board_refuses(changes: dict[str, Any], message: str) -> None:
    terms = UtilityMatcher(Ngrams(["가나다라"], 3)).terms("가나다라")
    arguments = {"text": "가나다라", "terms": terms, "above": [], "below": [], "labels": LABELS, "lam": 1.0}
    with pytest.raises(InputError, match=message):
        cut_board_payload(**(arguments | changes))


@pytest.mark.parametrize("gold", ["ko_nospace", "zh_words"])
def test_odd_sentences(gold: str) -> None:
    app = _open(gold=gold)
    mixed = "a\u1112\u1161\u11ab😀\x00б\u0301漢字ｶﾞ 가나다1½"
    for text in ("", " ", "가", "王", mixed, "\u200b", "뷁" * 99, "x" * 100_000):
        # The field in the browser takes 2,000 characters; a link may hold more.
        app.session_state["boundaries.text"] = text
        app.run()
        assert not app.exception
        assert not app.error
        assert "\ufffd" not in str(app)
        if text.strip():
            shown = "".join(text.split())[:120]
            assert all(sum(len(one["label"]) > 0 for one in row["tokens"]) > 0 for row in _strips(app))
            assert _strips(app)[0]["tokens"][-1]["e"] == len(joined_surrogates(shown))


def test_every_bpe_is_trained_once_and_a_visitors_own_is_kept_by_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []
    train = boundaries_bpe.train_inside

    def counted(lines: Any, cut: Any, size: int) -> Any:
        trained.append(len(lines))
        return train(lines, cut, size)

    monkeypatch.setattr(boundaries_bpe, "train_inside", counted)
    own = gold_of(["가나 다라", "가나 마바", "다라 마바"])
    for app in (_open(gold="own"), _open(gold="own")):
        app.session_state["boundaries.own"] = own
        app.run()
        for lam in (1.0, 2.0, 1.0):
            app.session_state["boundaries.lam"] = lam
            app.run()
            assert not app.exception
    # Free, with the first lambda, with 1 and with 2: once in each of the two sessions, which share nothing.
    assert trained == [len(own.train)] * 8
    # Nothing but the visitor's own lines is learned from, and the page says so.
    app.session_state["choice.view"] = "scores"
    app.run()
    said = [caption.value for caption in app.caption]
    assert translate("boundaries.scores_note_own", "en", lines=len(own.test), words=sum(map(len, own.test))) in said


def test_a_korean_gold_of_morphemes_is_sentences_and_cut_where_there_are_too_many() -> None:
    lines = ["# text = 나는 갔다", "나는\t나+는", "갔다\t가+았+다", "", "하지\t하", "", "밥도\t밥+도", ""]
    gold = gold_of(lines, limit=2)
    assert gold.words == (("나", "는", "갔", "다"), ("하지",)) and (gold.n_whole, gold.n_left_out) == (1, 1)
    app = _open(gold="own")
    app.session_state["boundaries.own"] = gold
    app.run()
    assert not app.exception
    said = [caption.value for caption in app.caption]
    assert translate("boundaries.gold.read", "en", sentences=2, words=5) in said
    assert translate("boundaries.gold.whole", "en", count=1) in said


def test_a_corrected_sentence_is_in_the_link_and_in_every_count() -> None:
    app = _open(gold="ko_nospace", view="errors")
    before = app.dataframe[0].value
    test = builtin_gold("ko_nospace").test
    text = "".join(test[0])
    app = _open(gold="ko_nospace", view="errors", corrected=f"~{' '.join(text)}\nx y")
    after = app.dataframe[0].value
    others = _stretches(test[1:])
    assert _stretches(test) - others == len(test[0])
    assert before.iloc[:, 1:].to_numpy().tolist() != after.iloc[:, 1:].to_numpy().tolist()
    # Every row is a sum over the same sentences: no method can hold more stretches than there are gold words.
    assert (after.iloc[:, 1:].sum(axis=1) <= others + len(text)).all()
    assert app.query_params["corrected"].startswith(("~", "z"))
    app.session_state["boundaries.text"] = text
    app.session_state["choice.view"] = "sentence"
    app.run()
    board = next(data for data in _payloads(app) if "places" in data)
    assert board["cuts"] == list(range(1, len(text)))
    app.button(key="boundaries.correct.reset").click().run()
    assert not any(button.key == "boundaries.correct.reset" for button in app.button)
    app.session_state["choice.view"] = "errors"
    app.run()
    assert app.dataframe[0].value.equals(before)


def _stretches(gold: Any) -> int:
    return sum(map(len, gold))


def test_the_papers_figures_stand_beside_chinese_only() -> None:
    assert [builtin_gold(name).is_chinese for name in GOLD] == [False, True, True]
    assert '"paper"' not in _open(view="scores", gold="ko_nospace").dataframe[0].proto.columns


def test_scores_and_bytes() -> None:
    app = _open(view="scores", gold="zh_words")
    table = app.dataframe[0].value
    assert len(table) == 13 and '"paper"' in app.dataframe[0].proto.columns
    assert table["f1"].between(1, 100).all() and table["f1"].max() > 50  # per cent
    app = _open(view="bytes", patch="4")
    assert app.dataframe[0].value["patches"].iloc[0] == len("커피 2잔 주세요!".encode())
    assert "118" in app.latex[0].value  # (22/4)^2 + 22 * 4
