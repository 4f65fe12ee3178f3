"""What the token strip, its layers and the table of the Explore page are made from."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.component import sendable
from app.components.data import StripRow
from app.components.pictures import strip_payload
from app.parts.side_by_side import comparison_table, lonely_tokens, shared_stretches
from app.parts.tables.segmentation import Segmentation, TextPart, count, joined_surrogates, segment, surroundings
from app.parts.tables.strips import byte_row, pretoken_row, strip_chars, token_row
from app.views.explore.tables import occurrence_table
from engine.config import TrainingSettings
from engine.interop.sentencepiece.importer import from_sentencepiece
from engine.tokenizer import Encoding, Tokenizer
from engine.unigram.model.model import Model
from engine.unigram.train.trainer import build_corpus, train
from tests.engine.interop.test_sentencepiece_import import model_file

LINES = ["나무에 꽃이 피었다.", "나무에 새가 앉았다.", "새가 꽃을 보았다.", "커피 2잔 주세요!"] * 4


class _Pieces(Tokenizer):
    """A tokenizer that cuts after given numbers of bytes, also inside characters and across them."""

    name = "pieces"
    vocab_size = 256

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def encode(self, text: str, allow_special: bool = False) -> Encoding:
        ends = np.cumsum(self.sizes).tolist()
        assert ends[-1] == len(text.encode())
        return Encoding(list(range(len(ends))), list(zip([0, *ends[:-1]], ends, strict=True)))

    def decode(self, ids: list[int]) -> str:
        return ""

    def token_label(self, token_id: int) -> str:
        return f"t{token_id}"

    def token_bytes(self, token_id: int) -> bytes:
        return b"x"


@pytest.fixture(scope="module")
def model() -> Model:
    settings = TrainingSettings(vocab_size=290, special_tokens=("<s>",))
    return train(build_corpus(LINES, settings), settings)


def _stretches(segmentation: Segmentation, size: int) -> list[TextPart]:
    return [part for (part,) in shared_stretches([segmentation], size)]


def _places(row: StripRow) -> list[tuple[str, int, int, bool]]:
    return [(token["label"], token["b"], token["e"], token["hex"]) for token in row["tokens"]]


def test_parts_of_characters_are_hex_under_their_character() -> None:
    tokenizer = _Pieces(1, 2, 2, 1)
    segmentation = segment(tokenizer, "가나")
    row = token_row(tokenizer, segmentation, _stretches(segmentation, 10)[0], "A", "")
    assert _places(row) == [
        ("<0xEA>", 0, 1, True),
        ("<0xB0><0x80>", 0, 1, True),
        ("<0xEB><0x82>", 1, 2, True),
        ("<0x98>", 1, 2, True),
    ]
    assert {token["kind"] for token in row["tokens"]} == {"fallback"}


def test_a_token_across_a_character_boundary_touches_both() -> None:
    tokenizer = _Pieces(2, 2, 2)
    segmentation = segment(tokenizer, "가나")
    row = token_row(tokenizer, segmentation, _stretches(segmentation, 1)[0], "A", "")
    assert _places(row)[1] == ("<0x80><0xEB>", 0, 2, True)
    strip_payload([row], strip_chars(segmentation.text, _stretches(segmentation, 1)[0]))


@given(st.text(max_size=60), st.integers(1, 20))
def test_rows_fit_the_strip_for_any_text(model: Model, text: str, size: int) -> None:
    segmentation = segment(model, joined_surrogates(text))
    assert b"".join(segmentation.bytes_of(k) for k in range(segmentation.ids.size)) == segmentation.data
    parts = _stretches(segmentation, size)
    assert "".join(segmentation.text[part.begin : part.end] for part in parts) == segmentation.text
    assert parts[0].first == 0 and parts[-1].last == segmentation.ids.size
    for part in parts:
        rows = [
            token_row(model, segmentation, part, "T", ""),
            pretoken_row(model.pretokenizer, segmentation.text, part, "P", ""),
            byte_row(segmentation.text, part, "B", ""),
        ]
        chars = strip_chars(segmentation.text, part)
        payload = sendable(strip_payload(rows, chars))
        assert "\ufffd" not in str(payload)
        for row in rows:
            covered = {place for token in row["tokens"] for place in range(token["b"], token["e"])}
            assert covered == set(range(len(chars)))
        # A box a byte, under its character.
        drawn = [(token["label"], token["b"]) for token in rows[-1]["tokens"]]
        text_of_part = segmentation.text[part.begin : part.end]
        assert drawn == [(f"<0x{b:02X}>", k) for k, char in enumerate(text_of_part) for b in char.encode()]


@given(st.text(max_size=40))
def test_the_table_has_a_row_for_each_token(model: Model, text: str) -> None:
    segmentation = segment(model, joined_surrogates(text))
    table = occurrence_table(model, segmentation)
    assert bytes.fromhex("".join(table["bytes"])) == segmentation.data
    assert not any("\ufffd" in token for token in table["token"])
    assert table["log2_prob"].notna().all()


def test_the_table_says_what_the_model_knows(model: Model) -> None:
    segmentation = segment(model, "나무에 꽃이 갂")
    table = occurrence_table(model, segmentation)
    known = model.round_table().set_index("token")
    first = table.iloc[0]
    assert first["log2_prob"] == pytest.approx(known.loc[first["token"], "log_prob"] / np.log(2))
    assert first["p"] == pytest.approx(known.loc[first["token"], "p"])
    assert first["be"] == pytest.approx(known.loc[first["token"], "be"] / np.log(2))
    last = table.iloc[-1]
    assert (last["token"], last["bytes"], last["code_points"]) == ("<0x82>", "82", "U+AC02 (3/3)")
    assert last["level"] == "byte"


def test_a_token_that_stands_for_nothing_shows_on_the_character_after_it() -> None:
    tokenizer = from_sentencepiece(model_file("unigram", "defaults"))
    text = "쀍 이 영화는 정말 재미있었다 그래서 또 보고 싶다 ㅋㅋ"
    segmentation = segment(tokenizer, text)
    assert (segmentation.byte_begin[0], segmentation.byte_end[0]) == (0, 0)
    assert (segmentation.begin[0], segmentation.end[0]) == (0, 1)
    for size in (4, 100):
        parts = _stretches(segmentation, size)
        rows = [token_row(tokenizer, segmentation, part, "S", "") for part in parts]
        for row, part in zip(rows, parts, strict=True):
            strip_payload([row], strip_chars(text, part))
        assert [token["label"] for token in rows[0]["tokens"]][:2] == ["▁", "<unk>"]
    table = occurrence_table(tokenizer, segmentation)
    assert (table["bytes"].iloc[0], table["code_points"].iloc[0]) == ("", "")
    after = segment(_Pieces(3, 3, 0), "가나")
    assert (after.begin[2], after.end[2]) == (1, 2)


def test_a_special_token_has_no_statistics(model: Model) -> None:
    class Allowing(Tokenizer):
        name, vocab_size = model.name, model.vocab_size
        decode, token_label, token_bytes = model.decode, model.token_label, model.token_bytes

        def encode(self, text: str, allow_special: bool = False) -> Encoding:
            return model.encode(text, allow_special=True)

    segmentation = segment(Allowing(), "나무<s>")
    table = occurrence_table(model, segmentation)
    assert table["token"].iloc[-1] == "<s>"
    assert table[["log2_prob", "p", "be"]].iloc[-1].isna().all()
    row = token_row(Allowing(), segmentation, _stretches(segmentation, 9)[0], "A", "")
    assert row["tokens"][-1]["kind"] == "special"


def test_counts() -> None:
    counts = count(segment(_Pieces(3, 1, 2, 1), "가 나"))
    assert (counts.tokens, counts.characters, counts.words, counts.partial) == (4, 3, 2, 2)
    assert (counts.fertility, counts.bytes_per_token, counts.characters_per_token) == (2.0, 1.75, 0.75)


@pytest.mark.parametrize("text", ["", " \n "])
def test_counts_without_words(model: Model, text: str) -> None:
    counts = count(segment(model, text))
    assert counts.words == 0
    assert counts.fertility is None


def test_a_normalised_text_is_what_is_cut() -> None:
    settings = TrainingSettings(vocab_size=290, normalization="nfc")
    model = train(build_corpus(LINES, settings), settings)
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFD", LINES[0]))
    assert segment(model, text).data == LINES[0].encode()


@pytest.mark.parametrize(
    ("text", "place", "limit", "expected"),
    [
        ("하나\n둘 셋\n넷", (3, 4), 50, "둘 셋"),
        ("하나", (0, 2), 50, "하나"),
        ("가나 다라 마바 사아 자차", (6, 8), 8, "다라 마바"),
        ("가나다라마바사아자차카타", (5, 6), 4, "라마바사"),
    ],
)
def test_surroundings(text: str, place: tuple[int, int], limit: int, expected: str) -> None:
    assert surroundings(text, *place, limit) == expected


@given(st.text(alphabet="가 \nb", max_size=60), st.data())
def test_surroundings_hold_the_token(text: str, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, max(0, len(text) - 1)))
    end = data.draw(st.integers(begin, min(len(text), begin + 5)))
    if "\n" in text[begin:end]:
        return
    around = surroundings(text, begin, end, 10)
    assert text[begin:end] in around
    assert len(around) <= 10
    assert "\n" not in around


@pytest.mark.parametrize(
    ("text", "expected"), [("가\ud800나", "가나"), ("\ud83d\ude00", "😀"), ("\udc00", ""), ("\ud800\ud83d\ude00", "😀")]
)
def test_surrogates(text: str, expected: str) -> None:
    assert joined_surrogates(text) == expected


def test_a_token_is_alone_where_no_other_tokenizer_has_its_span() -> None:
    text = "가나다"
    one, two = segment(_Pieces(3, 6), text), segment(_Pieces(3, 3, 3), text)
    assert [alone.tolist() for alone in lonely_tokens([one, two])] == [[False, True], [False, True, True]]
    assert [alone.tolist() for alone in lonely_tokens([one])] == [[False, False]]
    table = comparison_table(["a", "b"], [256, 256], [one, two])
    assert table["tokens"].tolist() == [2, 3]
    assert table["alone"].tolist() == [1, 2]
    assert table["ratio"].tolist() == [1.0, 1.5]
    assert table["fertility"].tolist() == [2.0, 3.0]


def test_parts_of_several_tokenizers_cut_no_token_of_any() -> None:
    text = "가나다라"
    segmentations = [segment(_Pieces(6, 6), text), segment(_Pieces(3, 1, 2, 6), text)]
    parts = shared_stretches(segmentations, 1)
    assert [(part.begin, part.end) for part, _ in parts] == [(0, 2), (2, 4)]
    assert [(part.first, part.last) for _, part in parts] == [(0, 3), (3, 4)]
