"""The BPE and WordPiece lessons in Streamlit's own simulator: sources, links, long and odd input."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from app.parts.toy_words import presets
from app.toys.corpus import count_words
from app.toys.merges import merge_steps
from engine.merge_settings import MergeSettings
from tests.pages import choose_example, open_page, write
from tests.seen import component_data


def _open(method: str, **params: str) -> AppTest:
    page = "learn_unigram" if method == "unigram" else "learn_bpe"
    return open_page(page, lang="en", **({"view": method} if method == "wordpiece" else {}), **params)


def _players(app: AppTest) -> list[dict]:
    """What the players were given, in the order of the page."""
    payloads = [component_data(element) for element in app.get("bidi_component")]
    return [data for data in payloads if "frames" in data]


@pytest.mark.parametrize(
    ("name", "mark", "same"),
    [
        ("low_slides", "symbol", "✓" * 8),
        ("low_lesson", "separate", "✓✓≠"),
        ("low_textbook", "none", "✓✓✓"),
        ("hug", "none", "✓✓✓"),
    ],
)
def test_an_example_comes_with_its_sources_settings(name: str, mark: str, same: str) -> None:
    app = _open("bpe", mark="attached", ties="lexicographic")
    choose_example(app, "learn_bpe.preset", name)
    assert not app.exception
    assert app.session_state["choice.mark"] == mark
    assert "ties" not in app.query_params
    assert not any("same" in frame.value for frame in app.dataframe)  # until somebody asks for it
    app.toggle(key="source").set_value(True).run()
    table = next(frame.value for frame in app.dataframe if "same" in frame.value)
    assert "".join(table["same"]) == same


@pytest.mark.parametrize("page", ["bpe", "wordpiece", "unigram"])
def test_answers_can_be_hidden(page: str) -> None:
    app = _open(page, hide="true")
    before = len(app.dataframe)
    if page == "unigram":
        (viterbi,) = (data for one in app.get("bidi_component") if "path" in (data := component_data(one)))
        assert viterbi["hidden"]
    else:
        frames = _players(app)[0]["frames"]
        asking = [k for k, frame in enumerate(frames) if "Predict" in frame["note"]]
        assert asking == list(range(0, len(frames) - 1, 2))
        marks = [block.get("marks", []) for k in asking for block in frames[k]["blocks"] if block["kind"] == "table"]
        assert not any(marks)
        # The pair of the merge comes first where counts decide; here they stand by their letters, without counts.
        assert [row[1] for row in frames[0]["blocks"][1]["rows"]] == ["?"] * 10
    app.toggle(key="hide").set_value(False).run()
    assert len(app.dataframe) > before


def test_a_link_opens_at_its_step() -> None:
    app = _open("bpe", step="3", at="1")
    assert [player["start"] for player in _players(app)] == [3, 1]
    for step in ("999", "x", "-1"):
        assert _players(_open("bpe", step=step))[0]["start"] in (0, 8)
    # Other words begin anew.
    write(app, "learn_bpe.words", "hug:10 pug:5")
    assert _players(app)[0]["start"] == 0 and "step" not in app.query_params


@pytest.mark.parametrize("page", ["bpe", "wordpiece"])
def test_a_long_text_is_shortened_and_says_so(page: str) -> None:
    app = _open(page)
    text = " ".join(f"낱말{number}" for number in range(16_000)) + " 낱말7 " + "가" * 50
    assert len(text) > 90_000
    write(app, "learn_bpe.words", text)
    assert not app.exception
    assert len(app.info) == 2 and "40 most frequent" in app.info[0].value
    frames = _players(app)[0]["frames"]
    assert any(row["label"] == "×2" for row in frames[0]["blocks"][0]["rows"])
    assert len(json.dumps(frames)) < 2_000_000


@pytest.mark.parametrize("word", ["~", "~" + "가" * 150, "~a b c d e f g h i j", "~<b>\u200b</b> 😀"])
@pytest.mark.parametrize("page", ["bpe", "wordpiece"])
def test_odd_words_to_segment(page: str, word: str) -> None:
    app = _open(page, word=word)
    assert len(_players(app)) == (1 if word == "~" else 2)
    assert "\ufffd" not in json.dumps(_players(app), ensure_ascii=False)


@pytest.mark.parametrize("page", ["bpe", "wordpiece"])
def test_what_is_segmented_follows_the_example_unless_it_is_the_visitors(page: str) -> None:
    app = _open(page)
    for name, words in (("korean", "마시기"), ("stems", "stalking")):
        choose_example(app, "learn_bpe.preset", name)
        assert app.session_state["learn_bpe.word"] == words == app.query_params["word"].removeprefix("~")
    write(app, "learn_bpe.word", "walks")
    choose_example(app, "learn_bpe.preset", "hug")
    assert app.session_state["learn_bpe.word"] == "walks"


def test_stems_become_tokens() -> None:
    settings = MergeSettings(algorithm="bpe", vocab_size=None, end_of_word="_", mark_place="symbol")
    for name, stems in (("korean", {"달리", "마시"}), ("stems", {"walk", "talk", "ing"})):
        steps = merge_steps(count_words(presets()[name]), settings, 8)
        assert stems <= set(steps[-1].vocabulary)


def test_the_slides_wordpiece_goes_by_frequency() -> None:
    app = _open("wordpiece")
    choose_example(app, "learn_bpe.preset", "low_slides")
    assert (app.query_params["prefix"], app.query_params["score"]) == ("underscore", "frequency")
    (cut,) = _players(app)[1]["frames"][-1]["blocks"]
    assert [token["text"] for token in cut["rows"][0]["tokens"]] == ["s", "low_"]


def test_the_sources_words_are_matched_on_their_own_vocabulary() -> None:
    app = _open("wordpiece")
    for name, cut in (
        ("unaffable", [["una", "##ffa", "##ble"]]),
        ("unlearnable", [["un", "##happiness"], ["is"], ["un", "##learn", "##able"]]),
    ):
        choose_example(app, "learn_bpe", name)
        assert not app.exception
        rows = _players(app)[1]["frames"][-1]["blocks"][0]["rows"]
        assert [[token["text"] for token in row["tokens"]] for row in rows] == cut
