"""The pages of the Learn section: the golden numbers of the lessons, odd input, and what the pages are made from."""

import json
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.testing.v1 import AppTest

from app.parts.tables.learn.utf8 import character_table, gpt2_letters, parse_hex, size_table
from app.parts.toy_words import LESSONS, lesson_words
from app.texts.catalogue import translate
from app.texts.plain import plain, unmarked
from tests.pages import open_page, settle

pytestmark = pytest.mark.usefixtures("shared_registry")


def _open(page: str, **params: str) -> AppTest:
    app = settle(open_page(f"learn_{page}", lang="en", **params))
    assert "\ufffd" not in str(app)
    return app


def test_the_bytes_of_the_lesson() -> None:
    sizes = {text: size_table(text).iloc[0] for text in ("☕", "😀", "👨\u200d👩\u200d👧", "안")}
    assert [int(row["utf8"]) for row in sizes.values()] == [3, 4, 18, 3]
    assert int(sizes["👨\u200d👩\u200d👧"]["graphemes"]) == 1
    assert [int(value) for value in size_table("한")["utf8"]] == [3, 3, 9]
    row = character_table("語").iloc[0]
    assert (row["utf8"], row["bits"], row["code_point"]) == ("E8 AA 9E", "1110[1000] 10[101010] 10[011110]", "U+8A9E")
    payload = "".join(part[part.index("[") + 1 : -1] for part in row["bits"].split())
    assert int(payload, 2) == ord("語")


def test_gpt2s_letters_are_one_a_byte() -> None:
    letters = gpt2_letters()
    assert len(set(letters.values())) == 256
    assert (letters[0x20], letters[0x0A], letters[0x41]) == ("Ġ", "Ċ", "A")
    assert "".join(letters[byte] for byte in "안".encode()) == "ìķĪ"


@pytest.mark.parametrize(
    ("text", "data"), [("EC 95 88", "안".encode()), ("0xEC,0x95", b"\xec\x95"), ("xyz", None), ("E", None), ("", b"")]
)
def test_reading_hexadecimal(text: str, data: bytes | None) -> None:
    assert parse_hex(text) == data


def test_the_lessons_words() -> None:
    assert lesson_words("hug") == "hug:10 pug:5 pun:12 bun:4 hugs:5"
    assert lesson_words("low_slides") == "low:5 lowest:2 newer:6 wider:3 new:2"
    assert lesson_words("low_lesson") == "low:5 lowest:2 newer:3 wider:2"
    assert len(LESSONS) == 4


@pytest.mark.parametrize(
    "key", ["bpe.intro.bpe", "bpe.intro.wordpiece", "unigram.intro", "bytes.intro", "tradeoff.intro"]
)
def test_one_short_sentence_is_above_the_picture(key: str) -> None:
    for lang, most in (("ko", 60), ("en", 110)):
        sentence = unmarked(translate(f"learn_{key}", lang))
        assert len(sentence) <= most and sentence.count(". ") == 0, sentence


def test_a_switch_changes_between_bpe_and_wordpiece_and_keeps_the_words() -> None:
    app = _open("bpe", words="~hug:10 pug:5 hugs:5", word="~pugs")
    for method in ("wordpiece", "bpe"):
        app.segmented_control(key="choice.view").set_value(method).run()
        assert not app.exception
        assert app.session_state["learn_bpe.words"] == "hug:10 pug:5 hugs:5"
        assert app.session_state["learn_bpe.word"] == "pugs"


def test_unusable_words_are_refused_in_place_of_the_picture() -> None:
    app = _open("unigram", words="~a:0")
    assert "a count of 0" in app.text[0].value and app.warning[0].value == translate("toy.refused", "en")
    assert app.session_state["learn_unigram.words"] == "a:0"


@pytest.mark.parametrize("page", ["bpe", "unigram"])
@pytest.mark.parametrize("words", ["~", "~가", "~a:0", "~" + "가" * 41, "~<b>x</b>:3 $y$"])
def test_odd_words(page: str, words: str) -> None:
    app = _open(page, words=words)
    if words in ("~", "~a:0", "~" + "가" * 41):
        assert app.warning


def _first_tie(app: AppTest) -> Any:
    return next(control for control in app.segmented_control if "Merge 1 " in control.label)


def test_ties_are_decided_by_hand_and_kept_in_the_link() -> None:
    app = _open("bpe")
    control = _first_tie(app)
    assert list(control.options) == [plain("e + r"), plain("r + _")]
    control.set_value(1).run()
    assert app.query_params["picks"] == "0.1"
    # The same list as before: it keeps the focus.
    assert (_first_tie(app).value, _first_tie(app).id) == (1, control.id)
    assert _first_tie(_open("bpe", picks="0.1")).value == 1
    # Damaged and impossible choices are dropped.
    for picks in ("0.9", "x", "0", "7.7-1"):
        assert "picks" not in _open("bpe", picks=picks).query_params


def test_a_choice_in_the_table_outlives_an_event_that_has_not_heard_of_it() -> None:
    app = _open("bpe")
    of_the_page, with_the_choice = app._tree.get_widget_states(), app._tree.get_widget_states()
    player = next(element.proto.id for element in app.get("bidi_component") if b'"frames"' in element.proto.bytes)
    picked = {"event": "picked", "value": {"number": 1, "value": {"index": 0, "value": "1"}}}
    with_the_choice.widgets.add(id=_make_trigger_id(player, "events"), json_trigger_value=json.dumps([picked]))
    for states in (with_the_choice, of_the_page):
        app._run(states)
        assert app.query_params["picks"] == "0.1"


def test_the_unigram_lesson() -> None:
    app = _open("unigram")
    counts = app.dataframe[0].value
    assert counts["count"].sum() == 210
    assert dict(zip(counts["token"], counts["count"], strict=True))["pu"] == 17
    listed = next(frame.value for frame in app.dataframe if "product" in frame.value)
    assert listed.iloc[0]["tokens"] == "un | hug"
    assert listed.iloc[0]["prob"] == pytest.approx(0.005442, abs=1e-6)


def test_bytes_of_text_and_of_hexadecimal() -> None:
    app = _open("bytes", hex="F0 9F")
    app.session_state["learn_bytes.text"] = "😀"
    app.run()
    sizes = next(frame.value for frame in app.dataframe if "graphemes" in frame.value)
    assert sizes["utf8"].iloc[0] == 4
    assert app.code[-1].value == "<0xF0><0x9F>"
    assert _open("bytes", hex="zz").warning
