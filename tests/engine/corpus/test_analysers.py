"""MeCab-ko and Kiwi through one interface: morphemes of a text with their places, tags and forms."""

import builtins

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.texts.measured import builtin_text
from engine.corpus.morphemes import kiwi
from engine.corpus.morphemes.analysers import ANALYSERS, installed_analysers, text_morphemes
from engine.corpus.morphemes.kiwi import KiwiMorpheme, joined
from engine.corpus.morphemes.morpheme import Morpheme
from engine.errors import InputError
from engine.measure.morphemes.analysis import silver_analysis
from engine.measure.morphemes.corrections import read_morphemes, reading_of
from engine.measure.morphemes.tags import ENDING, STEM, SYMBOL, kind_of_tag
from engine.measure.words import word_spans

SENTENCE = "나는 학교에 갔다."
# Kiwi takes seconds to load, and half a gigabyte.
installed = pytest.mark.parametrize(
    "analyser", [pytest.param(key, marks=pytest.mark.slow) if key == "kiwi" else key for key in installed_analysers()]
)
any_text = st.text("나는 갔다했.집에서\t\u3000\0ㅋ공부a1🙂", max_size=30)


@installed
def test_both_find_the_same_in_a_plain_sentence(analyser: str) -> None:
    assert text_morphemes(SENTENCE, analyser) == [
        Morpheme(0, 1, "NP", "나"),
        Morpheme(1, 2, "JX", "는"),
        Morpheme(3, 5, "NNG", "학교"),
        Morpheme(5, 6, "JKB", "에"),
        Morpheme(7, 8, "VV+EP", "가+았" if analyser == "mecab" else "가+었"),
        Morpheme(8, 9, "EF", "다"),
        Morpheme(9, 10, "SF", "."),
    ]


@installed
def test_lines_are_analysed_alone_and_places_run_on(analyser: str) -> None:
    one = text_morphemes(SENTENCE, analyser)
    again = text_morphemes(f"{SENTENCE}\n\n{SENTENCE}", analyser)
    at = len(SENTENCE) + 2
    assert again == one + [own._replace(begin=own.begin + at, end=own.end + at) for own in one]


@installed
@settings(max_examples=30)
@given(any_text)
def test_morphemes_of_any_text_stand_in_order_and_have_a_form_for_each_tag(analyser: str, text: str) -> None:
    found = text_morphemes(text, analyser)
    at = 0
    for one in found:
        assert at <= one.begin < one.end <= len(text)
        assert one.form and one.tag.count("+") <= one.form.count("+")
        at = one.end
    analysis = silver_analysis([text, "가"], analyser)
    assert analysis.aligned.all()


def test_morphemes_that_share_characters_are_one() -> None:
    assert joined(
        [KiwiMorpheme("도와주", "VV-R", 0, 3), KiwiMorpheme("었", "EP", 2, 3), KiwiMorpheme("다", "EF", 3, 4)]
    ) == [Morpheme(0, 3, "VV+EP", "도와주+었"), Morpheme(3, 4, "EF", "다")]
    # An empty one belongs to what follows it, at the end to what is before it.
    assert joined([KiwiMorpheme("이", "VCP", 0, 0), KiwiMorpheme("다", "EF", 0, 1)]) == [
        Morpheme(0, 1, "VCP+EF", "이+다")
    ]
    assert joined([KiwiMorpheme("나", "NP", 0, 1), KiwiMorpheme("이", "VCP", 1, 1)]) == [
        Morpheme(0, 1, "NP+VCP", "나+이")
    ]
    assert joined([KiwiMorpheme("이", "VCP", 0, 0)]) == joined([]) == []
    # Letters that wait for a syllable stand alone.
    assert joined([KiwiMorpheme("이거", "NP", 0, 2), KiwiMorpheme("\u11ab", "JX", 1, 2)])[0].form == "이거+ㄴ"


def test_tags_that_an_analyser_added_are_known() -> None:
    kinds = {"W_URL": STEM, "W_EMOJI": SYMBOL, "SB": SYMBOL, "Z_CODA": SYMBOL, "NNBC": STEM, "XSM": STEM, "EF": ENDING}
    assert {tag: kind_of_tag(tag) for tag in kinds} == kinds


def test_an_analyser_that_is_not_installed_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_kiwi(name: str, *args: object) -> object:
        if name == "kiwipiepy":
            raise ImportError
        return original(name, *args)

    monkeypatch.setattr(builtins, "__import__", without_kiwi)
    with pytest.raises(InputError, match="pip install kiwipiepy") as caught:
        kiwi._loaded.__wrapped__()
    assert caught.value.code == "kiwi.missing"


def test_the_version_is_in_the_title() -> None:
    for analyser in installed_analysers():
        assert ANALYSERS[analyser].package in ANALYSERS[analyser].title and "." in ANALYSERS[analyser].title


@installed
def test_what_an_analyser_reads_can_be_written_as_a_correction(analyser: str) -> None:
    n_eojeols = n_refused = 0
    for line in builtin_text("ko.reviews").sentences()[:60]:
        found = text_morphemes(line, analyser)
        for begin, end in word_spans(line, "eojeol"):
            own = [one for one in found if begin <= one.begin and one.end <= end]
            n_eojeols += 1
            try:
                read_morphemes(line[begin:end], reading_of(own))
            except InputError:
                n_refused += 1
    assert n_eojeols > 300 and n_refused <= 0.01 * n_eojeols
