"""Readings of eojeols by hand: what they say, what is refused, and what becomes of the morphemes around."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.morphemes.morpheme import Morpheme
from engine.errors import InputError
from engine.measure.morphemes.corrections import corrected, parse_reading, read_morphemes, reading_of

OWN = [Morpheme(0, 3, "NNG", "하늘을"), Morpheme(4, 5, "NP", "나"), Morpheme(5, 6, "JX", "는")]
TEXT = "하늘을 나는"


def test_a_reading_says_forms_and_tags() -> None:
    assert parse_reading(" 가/VV + 았/EP+다/EF ") == [("가", "VV"), ("았", "EP"), ("다", "EF")]
    # What parts morphemes may be one.
    assert parse_reading("1/SN+//SP+2/SN++/SW") == [("1", "SN"), ("/", "SP"), ("2", "SN"), ("+", "SW")]
    assert parse_reading("a+b/SL") == [("a+b", "SL")]


@pytest.mark.parametrize(
    ("reading", "code"),
    [
        ("", "form"),
        ("가", "form"),
        ("가/", "form"),
        ("/VV", "form"),
        ("가/VV+", "form"),
        ("가/VV 다", "form"),
        ("가/vv", "form"),
        ("가/VVV", "tag"),
        ("가/VV+다/NOUN", "tag"),
        ("먹/VV+다/EF", "surface"),
    ],
)
def test_what_is_no_reading_is_refused_in_a_sentence(reading: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_morphemes("갔다", reading)
    assert caught.value.code == f"reading.{code}"


def test_morphemes_lie_on_the_surface_and_those_of_a_syllable_are_one() -> None:
    assert read_morphemes("갔다", "가/VV+았/EP+다/EF") == [Morpheme(0, 1, "VV+EP", "가+았"), Morpheme(1, 2, "EF", "다")]
    assert read_morphemes("집에서는", "집/NNG+에서/JKB+는/JX") == [
        Morpheme(0, 1, "NNG", "집"),
        Morpheme(1, 3, "JKB", "에서"),
        Morpheme(3, 4, "JX", "는"),
    ]


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.text("가나+/a1.", min_size=1, max_size=4), st.sampled_from(["NNG", "SW", "EP"])), min_size=1)
)
def test_a_reading_that_spells_its_eojeol_comes_back(parts: list[tuple[str, str]]) -> None:
    reading = "+".join(f"{form}/{tag}" for form, tag in parts)
    try:
        if parse_reading(reading) != parts:
            return  # a form that looks like the end of a morpheme is read as one
    except InputError:
        return
    surface = "".join(form for form, _ in parts)
    morphemes = read_morphemes(surface, reading)
    assert [(one.begin, one.end) for one in morphemes][-1][1] == len(surface)
    assert [surface[one.begin : one.end] for one in morphemes] == [form for form, _ in parts]
    assert reading_of(morphemes) == reading


def test_one_eojeol_is_read_otherwise_and_the_others_stay() -> None:
    found, refused = corrected(TEXT, OWN, {1: "날/VV+는/ETM"})
    assert not refused
    assert found == [OWN[0], Morpheme(4, 5, "VV", "날"), Morpheme(5, 6, "ETM", "는")]
    assert reading_of(found[1:]) == "날/VV+는/ETM"


def test_what_does_not_fit_leaves_the_analysers_and_says_why() -> None:
    found, refused = corrected(TEXT, OWN, {0: "땅/NNG+을/JKO", 1: "나는", 7: "가/VV"})
    assert found == OWN
    assert {number: error.code for number, error in refused.items()} == {0: "reading.surface", 1: "reading.form"}
