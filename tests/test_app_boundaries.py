"""The Boundaries page without a browser, and what it is made from."""

import pytest
from streamlit.testing.v1 import AppTest

from app.gold import GOLD, builtin_gold, gold_of
from app.tables.boundaries import distribution_table, profile_table
from engine.boundaries.language_model import CharacterModel
from engine.boundaries.ngrams import Ngrams
from tests.conftest import ROOT


def _open(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=300)
    app.query_params.update({"lang": "en", "model": "toy~vocab_size-300", **params})
    app.run()
    app.switch_page(str(ROOT / "app" / "views" / "boundaries.py")).run()
    assert not app.exception
    return app


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


def test_a_sentence_is_cut_and_lambda_moves_the_cuts() -> None:
    app = _open(gold="ko_nospace")
    assert app.text[0].value.startswith("gold: ")
    words = app.text[0].value.removeprefix("gold: ").split("  ")
    assert tuple(words) == builtin_gold("ko_nospace").words[0]
    before = next(one.value for one in app.text if one.value.startswith("U, "))
    app.slider(key="lambda").set_value(0.0).run()
    after = next(one.value for one in app.text if one.value.startswith("U, "))
    assert after.startswith("U, λ = 0: ") and after.partition(": ")[2] != before.partition(": ")[2]
    assert after.partition(": ")[2].replace("  ", "") == "".join(words)


@pytest.mark.parametrize("text", ["", "가", "a😀\x00b", "가나" * 3000])
def test_odd_sentences(text: str) -> None:
    app = _open(gold="ko_nospace")
    app.text_input(key="boundaries.text").set_value(text[:2000]).run()
    assert not app.exception
    assert "\ufffd" not in str(app)


def test_scores_and_bytes() -> None:
    app = _open(view="scores", gold="zh_words")
    table = app.dataframe[0].value
    assert len(table) == 13
    assert table["f1"].between(0, 1).all() and table["f1"].max() > 0.3
    app = _open(view="bytes", patch="4")
    assert app.dataframe[0].value["patches"].iloc[0] == len("커피 2잔 주세요!".encode())
    assert "118" in app.latex[0].value  # (22/4)^2 + 22 * 4
