"""The pages on the Unigram LM, bytes and the trade-off: golden numbers, links, odd input."""

import pytest
from streamlit.testing.v1 import AppTest

from app.texts.catalogue import translate
from tests.pages import choose_example, open_page, settle, write

pytestmark = pytest.mark.usefixtures("shared_registry")


def _open(page: str, **params: str) -> AppTest:
    app = settle(open_page(f"learn_{page}", lang="en", **params))
    assert "\ufffd" not in str(app)
    return app


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.info, app.warning) for element in kind)


def test_the_words_of_a_link_and_their_word() -> None:
    app = _open("unigram", word="~pug")
    listed = next(frame.value for frame in app.dataframe if "product" in frame.value)
    assert listed["tokens"].tolist() == ["p | ug", "pu | g", "p | u | g"]
    assert "equally probable" in _texts(app)
    app = _open("unigram", word="~cats", p="without")
    listed = next(frame.value for frame in app.dataframe if "product" in frame.value)
    assert listed["tokens"].iloc[0] == "ca | ts"
    assert "The textbook prints cat | s" in _texts(app)


def test_a_preset_brings_a_word_that_it_can_write() -> None:
    app = _open("unigram")
    choose_example(app, "learn_unigram.preset", "endings")
    assert not app.exception
    assert app.session_state["learn_unigram.word"] == "웃는다"
    assert "cannot be segmented" not in _texts(app)


@pytest.mark.parametrize(
    "params",
    [
        {"share": "percent", "percent": "1e999"},
        {"target": "999", "share": "percent", "percent": "90", "word": "~" + "hug" * 30},
        {"words": "~a", "target": "3", "word": "~", "p": "textbook"},
        {"base": "bpe", "em": "2", "em_step": "7", "prune_step": "99", "word": "~z<b>"},
    ],
)
def test_odd_links_of_the_unigram_page(params: dict[str, str]) -> None:
    _open("unigram", **params)


def test_bytes_of_a_link() -> None:
    app = _open("bytes", hex="ED A0 80", unknown="~뷁", known="0")
    choose_example(app, "learn_bytes.preset", "family_four")
    app.run()
    assert "25 bytes" in _texts(app)
    assert app.code[-1].value == "<0xED><0xA0><0x80>"
    assert app.dataframe[-1].value["role"].iloc[0] == "surrogates exist only in UTF-16"
    choose_example(app, "learn_bytes", "letters")
    assert app.code[-1].value == " <0xEC><0x95>"
    assert _open("bytes", read="gpt2", hex="가").warning


@pytest.mark.parametrize("text", ["~", "~" + "가😀" * 900])
def test_odd_text_on_the_page_of_bytes(text: str) -> None:
    app = _open("bytes", unknown=text[:50], hex="")
    write(app, "learn_bytes.text", text[1:])
    assert not app.exception
    asked = translate("explore.empty", "en") in [info.value for info in app.info]
    assert asked == (text == "~")


def test_the_trade_off_of_a_link() -> None:
    app = _open("tradeoff", sentence="~unhappiness is unlearnable", top="100")
    cut = next(frame.value for frame in app.dataframe if "tokens" in frame.value and "name" in frame.value)
    counts = dict(zip(cut["name"], cut["n_tokens"], strict=True))
    assert (counts["Characters"], counts["Words"], counts["the lesson's subwords"]) == (26, 3, 6)
    assert "[UNK]" in cut[cut["name"] == "Words"]["tokens"].iloc[0]
    write(app, "learn_tradeoff.text", "가" * 100_000)
    assert not app.exception
    assert "only the first 1,000 are used" in _texts(app)
    write(app, "learn_tradeoff.text", " ")
    assert not app.exception
