"""Other ways of writing Korean: rules that grammars and keyboards fix, and what holds of every text."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.normalize import composed
from engine.hangul.syllables import FINALS, INITIALS, put_together, take_apart
from engine.measure.variants import VARIANTS, variant, written

TEXTS = st.text(st.sampled_from("가각갔낚먹읽은의쏴뷁 ㅋㅠaé1.\u1100"), max_size=30)

# The examples of Revised Romanization of Korean, article 8.
ARTICLE_8 = {
    "집": "jib",
    "짚": "jip",
    "밖": "bakk",
    "값": "gabs",
    "붓꽃": "buskkoch",
    "먹는": "meogneun",
    "독립": "doglib",
    "문리": "munli",
    "물엿": "mul-yeos",
    "굳이": "gud-i",
    "좋다": "johda",
    "가곡": "gagog",
    "조랑말": "jolangmal",
    "없었습니다": "eobs-eoss-seubnida",
}


def made(text: str, kind: str, rate: float = 1.0) -> str:
    return written(variant(text, kind, rate))


@pytest.mark.parametrize("word", ARTICLE_8)
def test_romanised_words_are_those_of_the_rules(word: str) -> None:
    assert made(word, "romanised") == ARTICLE_8[word]
    assert made(f"{word}, {word}", "romanised") == f"{ARTICLE_8[word]}, {ARTICLE_8[word]}"


def test_no_two_pairs_of_syllables_are_romanised_alike() -> None:
    pairs = [
        put_together("ㄱ", "ㅏ", final) + put_together(initial, "ㅣ") for final, initial in product(FINALS, INITIALS)
    ]
    assert len({made(pair, "romanised") for pair in pairs}) == len(pairs)


def test_syllables_of_one_shape_change_places() -> None:
    known = {"팔도 비빔면": "괄도 네넴띤", "멍멍이": "댕댕이", "귀여워": "커여워", "대전광역시": "머전팡역시"}
    assert {word: made(word, "look-alike") for word in known} == known
    assert {made(word, "look-alike") for word in known.values()} == set(known)


def test_letters_are_written_one_by_one() -> None:
    assert made("읽었ㅋ a", "jamo") == "ㅇㅣㄺㅇㅓㅆㅋ a"
    assert [f"{ord(char):04X}" for char in made("각", "nfd")] == ["1100", "1161", "11A8"]


def test_one_letter_of_an_eojeol_is_mistyped() -> None:
    keys = ["ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ"]
    shifted = ["ㅂㅃ", "ㅈㅉ", "ㄷㄸ", "ㄱㄲ", "ㅅㅆ", "ㅐㅒ", "ㅔㅖ"]
    words = ["".join(take) for take in product("먹낚쌀예", "었잖뛰의")] * 5
    text = " ".join(f"{word}{k}" for k, word in enumerate(words))
    pairs = variant(text, "typing", 1.0)
    wrong = [(old, new) for old, new in pairs if old != new]
    assert len(wrong) == len(words) == text.count(" ") + 1
    for old, new in wrong:
        ((one, other),) = [(a, b) for a, b in zip(take_apart(old), take_apart(new), strict=True) if a != b]
        is_near = any(one + other in row or other + one in row for row in (*keys, *shifted))
        assert is_near or other == " ", (old, new)
    assert len({new for _, new in wrong}) > 10


def test_the_rate_is_that_of_errors() -> None:
    text = " ".join(["나무가"] * 2000)
    n_slips = sum(old != new for old, new in variant(text, "typing", 0.2))
    pairs = variant(text, "wrong-spaces", 0.2)
    changes = Counter((old, new) for old, new in pairs if old != new)
    assert all(300 < n < 500 for n in (n_slips, changes[" ", ""], changes["", " "]))


@pytest.mark.parametrize("kind", VARIANTS)
@given(text=TEXTS, seed=st.integers(0, 3))
def test_the_original_is_in_a_variant_and_nothing_is_random(kind: str, text: str, seed: int) -> None:
    pairs = variant(text, kind, 0.5, seed)
    assert "".join(old for old, _ in pairs) == composed(text)
    assert pairs == variant(text, kind, 0.5, seed)
    assert all(len(old) == 1 or (old, new) == ("", " ") for old, new in pairs)
    if "spaces" in kind:
        assert written(pairs).replace(" ", "") == composed(text).replace(" ", "")
    if kind == "nfd":
        assert composed(written(pairs)) == composed(text)
