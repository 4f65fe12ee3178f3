"""Morphemes on Explore, Lattice, Rounds, Token and Scores without a browser: the row, corrections, kinds of tokens."""

import importlib.util
from collections.abc import Iterator
from concurrent.futures import wait

import pytest
from streamlit.testing.v1 import AppTest

from app.parts.texts.upload import Upload
from app.parts.tokens import morpheme_layer
from app.server import background
from app.session.state import pack_text
from app.texts.catalogue import translate
from engine.corpus.morphemes import analysers
from engine.corpus.morphemes.morpheme import AnalyserSettings, ScoredAnalysis
from engine.corpus.morphemes.user_dictionary import UserDictionary
from tests.pages import open_page, settle, when_made, write
from tests.seen import component_data

pytestmark = [
    pytest.mark.usefixtures("shared_registry"),
    pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed"),
]

_SHIPPED = "shipped:thunder-tok-8k"
TEXT = "나는 학교에 갔다."
ON = {"lang": "ko", "morphemes": "true"}


@pytest.fixture(autouse=True)
def _mecab_alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kiwi takes seconds to load: a test that wants the choice asks for it.

    What a test before began in the background has ended when the analysers change, or it would fail, and be kept so.
    """
    wait(background.begun())
    monkeypatch.delitem(analysers.ANALYSERS, "kiwi")
    yield
    wait(background.begun())


def _strip(app: AppTest, place: int = 0) -> list[dict]:
    """The rows of a strip on the page."""
    payloads = [component_data(element) for element in app.get("bidi_component")]
    strips = [payload for payload in payloads if "rows" in payload]
    return strips[place]["rows"]


def _morphemes(app: AppTest) -> list[tuple[str, str]]:
    (row,) = [row for row in _strip(app) if row["kind"] == "morphemes"]
    return [(token["label"], token.get("tag", "")) for token in row["tokens"]]


def _captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


@pytest.mark.parametrize("page", ["explore", "lattice"])
def test_morphemes_stand_under_the_strip_and_say_whose_they_are(page: str) -> None:
    app = settle(open_page(page, text=f"~{TEXT}", **ON))
    assert _morphemes(app) == [
        ("나", "NP"),
        ("는", "JX"),
        ("학교", "NNG"),
        ("에", "JKB"),
        ("가+았", "VV+EP"),
        ("다", "EF"),
        (".", "SF"),
    ]
    assert "python-mecab-ko 1." in _captions(app) and "정답이 아닙니다" in _captions(app)
    assert not [one for one in app.get("button_group") if one.key == "choice.analyser"]


def test_tokens_are_counted_and_coloured_by_class() -> None:
    app = settle(open_page(text=f"~{TEXT}", colours="true", **ON, **{"with": "characters"}))
    table = next(one.value for one in app.dataframe if "stem_ending" in one.value)
    characters = table[table["name"] == translate("train.algorithm.characters", "ko")].iloc[0]
    # 나, 는, 에, 다 and the full stop; 갔, which is two; 학 and 교.
    assert characters[["morpheme", "stem_ending", "several", "cut", "across"]].tolist() == [5, 1, 0, 2, 0]
    classes = [token.get("token_class", "") for token in _strip(app)[-2]["tokens"] if token["label"].strip()]
    assert classes == ["morpheme", "morpheme", "cut", "cut", "morpheme", "stem_ending", "morpheme", "morpheme"]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["explore", "lattice"])
def test_a_correction_is_used_and_kept_in_the_link(page: str) -> None:
    app = settle(open_page(page, text="~하늘을 나는", **ON))
    app.selectbox(key="row.eojeol").set_value(1).run()
    field = app.text_input(key=f"{page}.reading.1")
    assert field.value == "/".join(["나", "NP+는", "JX"])
    field.set_value("날/VV + 는/ETM").run()
    assert not app.exception and _morphemes(app)[-2:] == [("날", "VV"), ("는", "ETM")]
    link = app.query_params["readings"]
    again = settle(open_page(page, text="~하늘을 나는", readings=link, **ON))
    assert _morphemes(again) == _morphemes(app)
    assert "1개는 직접 수정한" in _captions(again)
    again.button(key=f"{page}.readings.clear").click().run()
    assert _morphemes(again)[-2:] == [("나", "NP"), ("는", "JX")] and "readings" not in again.query_params
    # Another text has other eojeols.
    write(app, f"{page}.text", "하늘을 나는 새")
    assert "readings" not in app.query_params


def test_a_correction_that_does_not_fit_is_refused_in_a_sentence() -> None:
    packed = pack_text("1:땅/NNG+을/JKO 2:나는 9:가/VV x 0:가/VV")
    app = settle(open_page(text="~하늘을 나는", readings=packed, **ON))
    assert _morphemes(app)[-2:] == [("나", "NP"), ("는", "JX")]
    assert [warning.value.partition("\\:")[0] for warning in app.warning] == [
        f"{number}번째 어절은 원래 분석을 그대로 씁니다" for number in (1, 2)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", "~", "z!!", "~1:", "~abc", "~" + "1:가/VV " * 900])
def test_a_damaged_correction_is_no_error(value: str) -> None:
    assert _morphemes(settle(open_page(text=f"~{TEXT}", readings=value, **ON)))


def test_without_an_analyser_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = analysers.ANALYSERS["mecab"]._replace(module="mecab_that_is_not_there")
    monkeypatch.setitem(analysers.ANALYSERS, "mecab", gone)
    app = settle(open_page(text=f"~{TEXT}", **ON))
    assert any("pip install" in info.value for info in app.info)
    assert all(row["kind"] == "tokens" for row in _strip(app))


def test_a_second_analyser_is_a_choice_that_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # As slow to load as Kiwi is, and of another opinion.
    second = analysers.ANALYSERS["mecab"]._replace(
        name="Second", morphemes=lambda line, settings: [analysers.Morpheme(0, len(line), "SL", line)], size=1
    )
    monkeypatch.setitem(analysers.ANALYSERS, "second", second)
    app = settle(open_page(text=f"~{TEXT}", analyser="second", **ON))
    assert _morphemes(when_made(app)) == [(TEXT, "SL")]
    assert "".join(app.query_params["analyser"]) == "second"
    assert "Second (python-mecab-ko" in _captions(app)


@pytest.mark.slow
def test_a_long_text_is_analysed_at_its_beginning() -> None:
    app = settle(open_page(text="~나는", **ON))
    write(app, "explore.text", "나는 갔다. " * 4000)
    assert not app.exception and "처음 19,998자만" in _captions(app)


@pytest.mark.slow
def test_rounds_show_morphemes_and_when_each_kind_goes() -> None:
    app = settle(open_page("rounds", sentence=f"~{TEXT}", by_kind="true", kinds="across.cut", round="2", **ON))
    assert _morphemes(app)[-3:] == [("가+았", "VV+EP"), ("다", "EF"), (".", "SF")]
    app = when_made(app)
    removed = next(one.value for one in app.dataframe if "kind" in one.value and "rank" in one.value)
    assert set(removed["kind"]) <= {translate(f"strips.class_{name}", "ko") for name in ("across", "cut")}
    survival = next(one.value for one in app.dataframe if "kept" in one.value)
    assert (survival.groupby("name")["kept"].apply(lambda kept: kept.is_monotonic_decreasing)).all()
    assert "내장 한국어 말뭉치" in _captions(app) and "python-mecab-ko" in _captions(app)


@pytest.mark.slow
def test_vocabulary_and_scatter_are_filtered_by_kind() -> None:
    app = when_made(settle(open_page("token", view="vocabulary", by_kind="true", kinds="unused", lang="en")))
    table = next(one.value for one in app.dataframe if "kind" in one.value)
    assert set(table["kind"]) == {"not used in this text"}
    app = when_made(settle(open_page("scores", by_kind="true", kinds="morpheme", lang="en")))
    table = next(one.value for one in app.dataframe if "kind" in one.value)
    assert len(table) and set(table["kind"]) == {"one morpheme"}


def test_a_token_says_what_it_mostly_is_and_shows_its_morphemes() -> None:
    app = when_made(settle(open_page("token", find="다.", by_kind="true", **ON)))
    assert [form for form, _ in _morphemes(app)] == ["다", "."]
    assert any("이 글에서 이 토큰의 주된 종류" in one.value for one in app.markdown)
    app = settle(open_page("token", find="먹었습니다", **ON))
    assert _morphemes(app) == [("먹", "VV"), ("었", "EP"), ("습니다", "EF")]


def test_the_page_of_scores_takes_a_programs_analysis_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    params = {"lang": "en", "gold": "silver", "shipped": "thunder-tok-8k", "public": ""}
    app = open_page("morphology", **params)
    assert "Silver: the morphemes are the output of MeCab-ko (python-mecab-ko 1." in _captions(app)
    wait(background.begun())
    monkeypatch.delitem(analysers.ANALYSERS, "mecab")
    gone = open_page("morphology", **params)
    assert any("No morphological analyser is installed" in info.value for info in gone.info)


@pytest.mark.parametrize("page", ["explore", "lattice"])
def test_a_user_dictionary_changes_the_morphemes_and_can_be_taken_away(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker analyses with it; here this process does, in the same way."""

    def analyse(
        text: str, analyser: str, dictionary: UserDictionary, limit: int, visitor: object
    ) -> list[ScoredAnalysis]:
        settings = AnalyserSettings(dictionary)
        return analysers.best_analyses(text, analyser, limit, settings)

    monkeypatch.setattr(morpheme_layer, "analyse_with_dictionary", analyse)
    app = settle(open_page(page, text="~나는 갓생을 산다", **ON))
    assert ("갓생", "NNG") not in _morphemes(app)
    app.session_state["morpheme.dictionary.upload"] = Upload("mine", ("갓생\tNNG",))
    app = settle(app.run())
    assert ("갓생", "NNG") in _morphemes(app) and "mine" in _captions(app)
    (table,) = [one.value for one in app.dataframe if "analysis" in one.value]
    assert table["analysis"][0].startswith("나/NP 는/JX 갓생/NNG 을/JKO") and table["rank"].tolist() == [1, 2, 3, 4, 5]
    app.session_state["morpheme.dictionary.upload"] = Upload("wrong", ("은\tJX",))
    app = settle(app.run())
    assert ("갓생", "NNG") not in _morphemes(app)
    assert any("JX" in told.value for told in app.text)
    app.button(key="morpheme.dictionary.remove").click().run()
    assert "wrong" not in _captions(app) and not app.exception
