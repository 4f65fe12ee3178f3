"""The Explore page without a browser: both languages, examples, odd and huge texts."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.server.http.first_picture import DOORS
from app.session import state
from app.texts.catalogue import translate
from app.texts.plain import plain
from app.texts.presets import PRESETS
from tests.pages import choose_example, go_to, open_page, settle, write
from tests.seen import component_data

TITLES = {"ko": "토큰 살펴보기", "en": "Explore"}


pytestmark = pytest.mark.usefixtures("shared_registry")


def _open(**params: str) -> AppTest:
    """The page with these parameters of the URL, its model trained."""
    app = open_page(**{"lang": "ko", "more": "all", **params})
    for button in app.button:
        if button.key == "model.train":
            button.click().run()
    return settle(app)


def _type(app: AppTest, text: str) -> AppTest:
    write(app, "explore.text", text)
    assert not app.exception
    assert "\ufffd" not in str(app)
    return app


def _table(app: AppTest) -> pd.DataFrame:
    """The table of tokens; that of the tokenizers is before it."""
    return app.dataframe[-1].value


_COUNTS = ("characters", "words", "tokens", "spread")


def _counts(app: AppTest) -> list[str]:
    names = {translate(f"explore.count.{name}", lang) for name in _COUNTS for lang in TITLES}
    return [metric.value for metric in app.metric if metric.label in names]


@pytest.mark.parametrize("lang", TITLES)
def test_the_default_text_is_shown(lang: str) -> None:
    app = _open(lang=lang)
    assert app.title[0].value == TITLES[lang]
    assert app.session_state["explore.text"] == PRESETS["sweet_potato"]
    characters, words, tokens, *_ = _counts(app)
    assert (characters, words) == ("32", "8")
    assert len(_table(app)) == int(tokens)
    assert bytes.fromhex("".join(_table(app)["bytes"])) == PRESETS["sweet_potato"].encode()
    assert "text" not in app.query_params


@pytest.mark.parametrize("lang", TITLES)
def test_the_page_says_what_it_is_and_where_to_go_from_here(lang: str) -> None:
    app = _open(lang=lang)
    said = next(one.value for one in app.markdown if translate("frame.title", lang) in one.value)
    assert translate("first.about", lang) in said and len(said.replace("*", "")) <= (70 if lang == "ko" else 115)
    titles = {translate(f"first.door.{name}.title", lang): page for name, page in DOORS.items()}
    links = {link.proto.label: link.proto.page for link in app.main.get("page_link")}
    assert {label: links.get(label) for label in titles} == titles


@pytest.mark.parametrize("lang", TITLES)
def test_every_example_has_its_caption(lang: str) -> None:
    app = _open(lang=lang)
    english = ["sweet_potato", "cups", "decimals", "spelling", "superbizarre", "cannot", "city", "magikarp"]
    korean = ["sweet_potato", "chatgpt", "spacing", "laughter", "politeness", "loanwords", "numbers", "rare"]
    for name in english if lang == "en" else korean:
        choose_example(app, "explore", name)
        assert not app.exception
        assert translate(f"explore.example.{name}", lang) in [one.value for one in app.caption]
        text = app.session_state["explore.text"]
        assert bytes.fromhex("".join(_table(app)["bytes"])) == text.encode()


def test_digits_are_not_joined() -> None:
    app = _open(text="~커피 2잔")
    tokens = _table(app)["token"].tolist()
    assert tokens[-3:] == ["␣", "2", "잔"]


def test_english_dictionary_never_holds_a_piece_across_words() -> None:
    tokens = _table(_open(text="~영어 사전"))["token"]
    assert not tokens.str.contains("어␣사").any()


def test_what_is_typed_is_in_the_url_and_a_link_restores_it() -> None:
    app = _type(_open(), "나무에 꽃이 피었다.")
    link = app.query_params["text"]
    assert state.unpack_text(link) == "나무에 꽃이 피었다."
    again = _open(text=link, token="1")
    assert _counts(again)[:4] == _counts(app)[:4]
    assert "나" in again.subheader[0].value


def test_pasted_ids_are_read_as_tokens() -> None:
    text = "나무에 꽃이 피었다."
    app = _type(_open(), text)
    tokens = _table(app)
    assert text.replace(" ", "␣") in [one.value for one in _type(app, f"{tokens['id'].tolist()}").code]
    assert _of_ids(app)["token"].tolist() == tokens["token"].tolist()
    assert any("999999" in one.value for one in _type(app, "5, 999999").warning)
    token = tokens.iloc[0]
    assert _of_ids(_type(app, f"#{token['id']}")).to_numpy().tolist() == [[token["token"], token["id"], token["bytes"]]]
    assert _of_ids(_type(app, "2024")) is None


def _of_ids(app: AppTest) -> pd.DataFrame | None:
    """The table of the ids that were read."""
    return next((one.value for one in app.dataframe if [*one.value] == ["token", "id", "bytes"]), None)


def test_a_text_is_cut_at_a_number_of_tokens() -> None:
    app = _type(_open(first="2"), "나무에 꽃이 피었다.")
    assert "".join(_table(app)["token"][:2]) in [one.value for one in app.code]


@pytest.mark.parametrize("token", ["0", "99999", "x", "-1", "²", "9" * 30])
def test_a_damaged_token_number_is_ignored(token: str) -> None:
    assert not _open(token=token).subheader


def test_a_new_text_forgets_the_token() -> None:
    app = _open()
    app.session_state["explore.picked"] = (0, 1)
    assert app.run().subheader
    assert not _type(app, "다른 글").subheader
    assert "token" not in app.query_params


def test_tokenizers_stand_beside_each_other() -> None:
    app = _open(token="2.1", **{"with": "characters.bytes.words"})
    text = PRESETS["sweet_potato"]
    figures = app.dataframe[0].value
    assert figures["tokens"].tolist()[1:] == [len(text.split()), len(text), len(text.encode())]
    # Of the bytes only the spaces and the full stop are characters as well, and some are Thunder-Tok's fallback.
    shared = text.count(" ") + text.count(".") + figures["partial"].iloc[0]
    assert figures["alone"].iloc[3] == len(text.encode()) - shared
    assert any("BPE 13, Unigram 14, BPE-Mecab 15, Thunder-Tok 10" in caption.value for caption in app.caption)
    assert "고구마는" in app.subheader[0].value
    assert app.query_params["with"] == "words.characters.bytes"


def _notes(app: AppTest) -> list[str]:
    """What is below the names of the tokenizers."""
    data = next(data for one in app.get("bidi_component") if "rows" in (data := component_data(one)))
    return [row["note"] for row in data["rows"]]


def test_a_tokenizer_of_korean_says_so_beside_other_languages() -> None:
    note = translate("strips.korean_only", "ko")
    app = _open(model="shipped:thunder-tok-8k", public="gpt2", shipped="none", text="~sweet 고구마는 고구마를")
    assert note not in _notes(app)
    assert [one == note for one in _notes(_type(app, "sweet potatoes 고구마"))] == [True, False]


def _prices(app: AppTest) -> list[tuple[str, str]]:
    return [(metric.value, metric.delta) for metric in app.metric if metric.delta]


def test_the_cost_is_in_dollars_and_in_won() -> None:
    app = _open(model="shipped:thunder-tok-8k", public="none", shipped="none", text="~가", price="3", won="1500")
    assert _prices(app) == [("$3.00", "₩4,500")]
    app.number_input(key="number.price").set_value(0.0).run()
    assert not _prices(app) and translate("explore.cost.free", "ko") in [one.value for one in app.caption]


@pytest.mark.parametrize("price", ["1e308", "1e999", "nan", "-1", "x"])
def test_a_price_that_cannot_be_used_is_refused_in_a_sentence(price: str) -> None:
    app = _open(model="shipped:thunder-tok-8k", public="none", shipped="none", text="~가", price=price)
    assert not app.exception and _prices(app) == [("$2.50", "₩3,500")]
    refusal = translate("frame.number_refused", "ko", asked=plain(price), low="0.0", high="10,000.0", value="2.5")
    assert [one.value for one in app.caption].count(refusal) == 1
    assert "price" not in app.query_params
    app.number_input(key="number.price").set_value(3.0).run()
    assert refusal not in [one.value for one in app.caption]


def test_a_text_without_tokens_is_said_in_a_sentence() -> None:
    app = _open(model="shipped:wordpiece-32k", public="none", shipped="none", text="~ ")
    assert not app.exception
    names = plain(translate("shipped.wordpiece-32k", "ko"))
    assert [one.value for one in app.info] == [translate("explore.no_tokens", "ko", names=names)]


def test_what_is_ready_is_drawn_while_the_rest_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.parts.tokenizers.tokenizer_set.taught_reference", lambda *_: None)
    monkeypatch.setattr("app.parts.tokenizers.tokenizer_set.follow_probes", lambda *_: None)
    app = _open(**{"with": "bpe"})
    name = translate("train.algorithm.bpe", "ko")
    assert translate("set.counting", "ko", names=name) in [one.value for one in app.caption]
    assert len(_notes(app)) == 1 and len(_table(app)) > 1


def test_an_empty_text_asks_for_one() -> None:
    app = _type(_open(), "")
    assert app.info
    assert not app.metric


@pytest.mark.parametrize(
    "text", ["가", " ", "\n", "\t", "\x00", "\x07가\x1b", "\u200b", "각", "😀", "e\u0301", "a\r\nb"]
)
def test_odd_texts(text: str) -> None:
    app = _type(_open(pretokens="true", bytes="true"), text)
    # Only the browser normalises line ends, so what comes back is what went in.
    assert bytes.fromhex("".join(_table(app)["bytes"])) == text.encode()


def test_markup_stays_text() -> None:
    app = _type(_open(token="1"), "*<b>[x](y)</b>* $a$ :smile: `c`")
    assert "".join(_table(app)["token"]).replace("␣", " ") == "*<b>[x](y)</b>* $a$ :smile: `c`"


@pytest.mark.slow
def test_a_text_of_100_000_characters_has_pages() -> None:
    text = ("고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다. 쀍 😀\n" * 3000)[:100_000]
    app = _type(_open(), text)
    assert _counts(app)[0] == "100,000"
    assert len(_table(app)) < 2500
    assert "text" not in app.query_params
    first = _table(app)["number"].iloc[0]
    app.session_state["part"] = 2
    app.run()
    assert not app.exception
    assert _table(app)["number"].iloc[0] > first == 1


@pytest.mark.slow
def test_a_longer_text_is_cut() -> None:
    app = _type(_open(), "가나 " * 70_000)
    assert _counts(app)[0] == "200,000"
    assert "200,000" in app.info[0].value


def test_one_word_without_spaces() -> None:
    assert _counts(_type(_open(), "쀍" * 10_000))[1] == "1"


def test_a_link_with_damaged_bytes_shows_no_replacement_character() -> None:
    app = _open(text="~가\ufffd나")
    assert app.session_state["explore.text"] == "가나"


@pytest.mark.slow
def test_normalisation_is_shown() -> None:
    app = _open(model="ko~vocab_size-600~normalization-nfc", text="~한 \u1112\u1161\u11ab")
    assert any("NFC" in expander.label for expander in app.expander)
    assert app.dataframe[0].value.iloc[0].tolist()[-1] == 1
    assert _counts(app)[0] == "3"
    same = _open(model="ko~vocab_size-600~normalization-nfc", text="~한")
    assert not any("NFC" in expander.label for expander in same.expander)


def test_the_lattice_opens_with_the_line_of_the_token() -> None:
    app = _type(_open(), "앞 줄입니다.\n나무에 꽃이 피었다.\n뒷줄")
    tokens = _table(app)["token"].tolist()
    app.session_state["explore.picked"] = (0, next(k for k, token in enumerate(tokens) if "나" in token))
    app.run()
    app.query_params["from"] = "token"  # as the link has it
    go_to(app, "lattice")
    assert app.session_state["lattice.text"] == "나무에 꽃이 피었다."


def test_the_merges_open_for_the_token_of_a_model_that_merges() -> None:
    app = _open(model="shipped:thunder-tok-8k", shipped="none", public="gpt2", text="~나무에 꽃이", token="2.1")
    assert translate("explore.token.merges", "ko") in [link.proto.label for link in app.main.get("page_link")]
    app.query_params["from"] = "token"  # as the link has it
    go_to(app, "lattice")
    assert app.session_state["lattice.text"] == "나무에 꽃이"
    assert app.selectbox(key="lattice.under").value == "public:gpt2" and not app.info
