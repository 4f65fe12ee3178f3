"""Text and model references on their way through a URL."""

from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.session.reference import DEFAULT_SETTINGS, ModelReference, parse_reference
from app.session.state import MAX_TEXT_IN_URL, pack_text, unpack_text
from app.texts.plain import plain, visible_space
from engine.config import SCORES, TrainingSettings


@given(st.text(max_size=400))
@settings(deadline=None, derandomize=True)
def test_text_survives_the_url(text: str) -> None:
    packed = pack_text(text)
    if packed is not None:
        assert unpack_text(packed) == text


def test_korean_text_takes_less_room_than_spelled_out() -> None:
    text = "고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다. " * 8
    packed = pack_text(text)
    assert packed is not None
    assert len(packed) < len(quote(text)) / 3
    assert unpack_text(packed) == text


def test_short_text_stays_readable() -> None:
    assert pack_text("그 것/그것") == "~그 것/그것"


def test_text_that_does_not_fit_is_left_out() -> None:
    assert pack_text("".join(chr(0xAC00 + 7919 * i % 11172) for i in range(3000))) is None
    assert pack_text("\ud800") is None
    assert len(pack_text("가나다" * 5000) or "") <= MAX_TEXT_IN_URL


@pytest.mark.parametrize("value", ["zeN!!!", "zeNAAAA", "zeN" + "A" * 50, "zeN한글"])
def test_damaged_text_is_refused(value: str) -> None:
    assert unpack_text(value) is None


def test_plain_text_typed_by_hand_is_taken() -> None:
    for text in ("대한민국", "zoo", "z", "z한글", "zAAAA"):
        assert unpack_text(text) == text


def test_the_default_model_needs_no_settings() -> None:
    assert str(ModelReference()) == "ko"
    assert parse_reference("ko") == ModelReference()


@given(
    st.builds(
        TrainingSettings,
        vocab_size=st.integers(300, 99_999),
        score=st.sampled_from(SCORES),
        shrink=st.sampled_from([0.25, 0.5, 0.1]),
        pretokenizer=st.sampled_from(["gpt2", "none", r"\p{L}+|~-%.=", "한글 +|."]),
        special_tokens=st.sampled_from([(), ("<pad>",), ("~", "가-나", '"')]),
        partial_characters=st.booleans(),
    )
)
@settings(deadline=None, derandomize=True)
def test_references_survive_the_url(wanted: TrainingSettings) -> None:
    reference = ModelReference("ko.news.essay", wanted)
    assert parse_reference(str(reference)) == reference


@pytest.mark.parametrize(
    "word",
    [
        "",
        "~",
        "ko~",
        "ko~nonsense-1",
        "ko~vocab_size-abc",
        "ko~vocab_size-true",
        "ko~vocab_size--5",
        'ko~shrink-"x"',
        "ko~special_tokens-[1]",
        "ko~score-best",
        "ko~__class__-1",
        "../../etc/passwd",
        "ko" * 2000,
        "ko~shrink-1" + "0" * 400,
        "ko~vocab_size-" + "[" * 1900,
        "ko~vocab_size-1e3",
        'ko~special_tokens-"abc"',
    ],
)
def test_damaged_references_are_refused(word: str) -> None:
    assert parse_reference(word) is None


def test_a_model_file_has_no_settings_in_its_reference() -> None:
    reference = ModelReference("file.0123abcd", replace(DEFAULT_SETTINGS, vocab_size=9))
    assert str(reference) == "file.0123abcd"
    assert reference.key("") == "file.0123abcd"


def test_user_text_is_plain_in_markdown() -> None:
    assert plain("a*b_[x](y) <b>:smile: $1$") == r"a\*b\_\[x\]\(y\) \<b\>\::small[]smile\: \$1\$"


def test_white_space_is_made_visible() -> None:
    assert visible_space(" 가\t나\r\n") == "␣가⇥나␍↵"
