"""Tables of the byte-level lesson: golden byte counts, bits, GPT-2's letters, bytes read back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.component import sendable
from app.parts.tables.learn.utf8 import (
    board,
    character_table,
    decode_rows,
    decode_table,
    fallback_table,
    from_gpt2,
    gpt2_letters,
    gpt2_table,
    size_table,
)
from engine.merges.vocabulary import bytes_label
from tests.pages import open_page, settle

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.mark.parametrize(
    ("text", "graphemes", "points", "n_bytes"),
    [
        ("☕", 1, 1, 3),
        ("☕\ufe0f", 1, 2, 6),
        ("😀", 1, 1, 4),
        ("안", 1, 1, 3),
        (unicodedata.normalize("NFD", "한"), 1, 3, 9),
        ("👨\u200d👩\u200d👧", 1, 5, 18),
        ("👨\u200d👩\u200d👧\u200d👦", 1, 7, 25),
        ("AΩ語\U00010384", 4, 4, 10),
    ],
)
def test_what_a_character_costs(text: str, graphemes: int, points: int, n_bytes: int) -> None:
    boxes = board(text)
    found = [point for box in boxes for point in box["points"]]
    assert (len(boxes), len(found), sum(len(point["bytes"]) for point in found)) == (graphemes, points, n_bytes)
    assert int(size_table(text)["utf8"].iloc[0]) == n_bytes


def test_the_slides_letters() -> None:
    table = character_table("AΩ語\U00010384")
    assert table["utf8"].tolist() == ["41", "CE A9", "E8 AA 9E", "F0 90 8E 84"]
    assert table["utf32"].tolist() == ["00000041", "000003A9", "00008A9E", "00010384"]
    # The character that the slides print beside the last numbers is another one.
    assert character_table("𐄀")["utf8"].tolist() == ["F0 90 84 80"]


@given(TEXTS)
def test_the_marked_bits_are_the_code_point(text: str) -> None:
    points = [point for box in board(text) for point in box["points"]]
    assert [int("".join(b["payload"] for b in point["bytes"]), 2) for point in points] == [ord(c) for c in text]
    assert bytes(int(b["hex"], 16) for point in points for b in point["bytes"]) == text.encode()
    assert "\ufffd" not in str(sendable(board(text)))


@given(st.binary(max_size=24))
def test_gpt2s_letters_go_there_and_back(data: bytes) -> None:
    letters = gpt2_letters()
    assert from_gpt2("".join(letters[byte] for byte in data)) == data


def test_what_greetings_look_like_in_gpt2() -> None:
    letters = gpt2_letters()
    assert "".join(letters[byte] for byte in " 안녕".encode()) == "ĠìķĪëħķ"
    assert from_gpt2("안") is None
    assert gpt2_table().shape == (16, 16)
    assert gpt2_table().loc["2_", "_0"] == "Ġ"


@given(st.binary(max_size=24))
def test_reading_bytes_agrees_with_python(data: bytes) -> None:
    rows = list(decode_rows(data))
    assert bytes(byte for byte, _, _ in rows) == data
    is_lost = [role not in ("ascii", "first", "following") for _, role, _ in rows]
    # What surrogateescape keeps as stray bytes is what makes no character.
    stray = [0xDC80 <= ord(char) <= 0xDCFF for char in data.decode(errors="surrogateescape") for _ in _bytes(char)]
    assert is_lost == stray
    assert all(seen == f"<0x{byte:02X}>" for (byte, _, seen), lost in zip(rows, is_lost, strict=True) if lost)


def _bytes(char: str) -> bytes:
    return char.encode(errors="surrogateescape")


@pytest.mark.parametrize(
    ("data", "roles"),
    [
        (b"A", ["ascii"]),
        ("안".encode(), ["first", "following", "following"]),
        (b"\xec\x95", ["cut_off", "stray"]),
        (b"\xecA", ["cut_off", "ascii"]),
        (b"\xc0\x80", ["overlong", "stray"]),
        (b"\xe0\x80\x80", ["overlong", "stray", "stray"]),
        (b"\xf0\x80\x80\x80", ["overlong", "stray", "stray", "stray"]),
        (b"\xed\xa0\x80", ["surrogate", "stray", "stray"]),
        (b"\xf4\x90\x80\x80", ["too_high", "stray", "stray", "stray"]),
        (b"\xf5", ["never"]),
    ],
)
def test_why_bytes_make_no_character(data: bytes, roles: list[str]) -> None:
    assert decode_table(data)["role"].tolist() == roles
    assert "\ufffd" not in bytes_label(data)


def test_three_ways_with_unknown_characters() -> None:
    table = fallback_table("뷁가", {"가"}).set_index("way")
    assert table["tokens"].tolist()[:2] == ["[UNK] 가", "<0xEB> <0xB7> <0x81> 가"]
    assert table["n_tokens"].tolist() == [2, 4, 6]
    assert table["decoded"].tolist() == ["[UNK]가", "뷁가", "뷁가"]


def test_counts_open_on_request_where_answers_are_hidden() -> None:
    app = open_page("learn_bytes", lang="en", hide="true")
    hidden = len(app.dataframe), len(app.get("bidi_component"))
    app.toggle(key="counted").set_value(True).run()
    assert not app.exception
    assert len(app.dataframe) > hidden[0] and len(app.get("bidi_component")) > hidden[1]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["learn_tradeoff", "learn_failures"])
def test_other_pages_count_on_request_too(page: str) -> None:
    app = settle(open_page(page, lang="ko", hide="true"))
    assert not app.dataframe
    assert settle(app.toggle(key="counted").set_value(True).run()).dataframe
