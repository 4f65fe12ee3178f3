"""MeCab-ko and Kiwi through one interface: morphemes of a text with their places, tags and forms."""

import builtins
import itertools
import resource
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.texts.corpora import builtin_text
from engine.corpus.morphemes import kiwi, mecab
from engine.corpus.morphemes.analysers import (
    ANALYSERS,
    best_analyses,
    has_hangul,
    installed_analysers,
    line_morphemes,
    text_morphemes,
)
from engine.corpus.morphemes.kiwi import joined
from engine.corpus.morphemes.mecab import foreign_runs, with_foreign_runs
from engine.corpus.morphemes.morpheme import AS_WRITTEN, AnalyserSettings, Morpheme
from engine.errors import InputError
from engine.hangul.jamo import decompose
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
@pytest.mark.parametrize("space", ["\u3000", "\u00a0", "\u2009", "\u3000\u3000", " \u202f"])
def test_white_space_is_no_morpheme(analyser: str, space: str) -> None:
    text = f"{space}나는{space}학교에{space}갔다.{space}"
    assert "".join(text[one.begin : one.end] for one in text_morphemes(text, analyser)) == "나는학교에갔다."
    assert all(not text[one.begin : one.end].isspace() for one in best_analyses(text, analyser, 1)[0].morphemes)


@installed
@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\u200c", "\u00ad", "\u2060", "\ufeff", "\u202e", "\u200b\u200e"])
def test_an_invisible_character_is_no_morpheme_and_changes_none(analyser: str, mark: str) -> None:
    plain = text_morphemes(SENTENCE, analyser)
    for text in (mark + SENTENCE, SENTENCE + mark, mark.join(SENTENCE), SENTENCE.replace(" ", f"{mark} {mark}")):
        for form in ("NFC", "NFD"):
            text = normalize(form, text)
            found = text_morphemes(text, analyser)
            assert [(one.tag, one.form) for one in found] == [(one.tag, one.form) for one in plain]
            read = [normalize("NFC", text[one.begin : one.end]) for one in found]
            assert all(word == word.strip(mark) for word in read)
            assert [word.translate(dict.fromkeys(map(ord, mark))) for word in read] == [
                SENTENCE[one.begin : one.end] for one in plain
            ]
    assert text_morphemes(mark, analyser) == best_analyses(mark, analyser, 1)[0].morphemes == []


@installed
def test_pictures_that_are_joined_stay_one(analyser: str) -> None:
    text = "👩\u200d👩\u200d👧 좋다 ❤\ufe0f\u200d🔥"
    ends = {one.end for one in text_morphemes(text, analyser)}
    assert {5, 8, len(text)} <= ends and (analyser == "mecab" or not ends & {1, 3})


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
    data = "".join(analysis.lines).encode()
    words = [data[a:b].decode() for a, b in zip(analysis.word_begin, analysis.word_end, strict=True)]
    assert analysis.aligned.tolist() == [has_hangul(word) for word in words]


def test_morphemes_that_share_characters_are_one() -> None:
    assert joined([Morpheme(0, 3, "VV-R", "도와주"), Morpheme(2, 3, "EP", "었"), Morpheme(3, 4, "EF", "다")]) == [
        Morpheme(0, 3, "VV+EP", "도와주+었"),
        Morpheme(3, 4, "EF", "다"),
    ]
    # An empty one belongs to what follows it, at the end to what is before it.
    assert joined([Morpheme(0, 0, "VCP", "이"), Morpheme(0, 1, "EF", "다")]) == [Morpheme(0, 1, "VCP+EF", "이+다")]
    assert joined([Morpheme(0, 1, "NP", "나"), Morpheme(1, 1, "VCP", "이")]) == [Morpheme(0, 1, "NP+VCP", "나+이")]
    assert joined([Morpheme(0, 0, "VCP", "이")]) == joined([]) == []
    # Letters that wait for a syllable stand alone.
    assert joined([Morpheme(0, 2, "NP", "이거"), Morpheme(1, 2, "JX", "\u11ab")])[0].form == "이거+ㄴ"


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


def test_numbers_and_other_scripts_are_one_morpheme_each() -> None:
    text = "값은 3.14이고 1,234원, 大韓民國의 don't, iPhone15는"
    found = [(text[one.begin : one.end], one.tag) for one in text_morphemes(text, "mecab")]
    runs = [("3.14", "SN"), ("1,234", "SN"), ("大韓民國", "SH"), ("don't", "SL"), ("iPhone", "SL"), ("15", "SN")]
    assert [one for one in found if one in runs] == runs
    assert ("원", "NNBC") in found and ("의", "JKG") in found
    mixed = [Morpheme(0, 4, "NNP", "3·1절"), Morpheme(4, 5, "JX", "은")]
    assert with_foreign_runs("3·1절은", mixed) == mixed
    half = [Morpheme(0, 3, "NNP", "가15"), Morpheme(3, 4, "SY", "."), Morpheme(4, 5, "SN", "5")]
    assert with_foreign_runs("가15.5", half) == half  # part of the number is in a word with Hangul
    own = [Morpheme(0, 3, "NNP", "GPT")]
    assert with_foreign_runs("GPT", own, frozenset({"GPT"})) == own
    assert with_foreign_runs("GPT", own) == [Morpheme(0, 3, "SL", "GPT")]


@settings(max_examples=100)
@given(st.text("가나a1.,'漢é\u0301 -ㅋ", max_size=20), st.data())
def test_runs_replace_cuts_inside_them_and_nothing_else(text: str, data: st.DataObject) -> None:
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text))))})
    given_ = [Morpheme(a, b, "X", text[a:b]) for a, b in itertools.pairwise(cuts) if not text[a:b].isspace()]
    found = with_foreign_runs(text, given_)
    assert all(one.end <= other.begin for one, other in itertools.pairwise(found))
    for one in found:
        assert one in given_ or one in foreign_runs(text)
    for one in given_:
        assert one in found or any(run.begin <= one.begin and one.end <= run.end for run in found)


@installed
def test_several_analyses_begin_with_the_best(analyser: str) -> None:
    line = "나는 학교에 간다"
    found = best_analyses(line, analyser, 4)
    assert found[0].morphemes == text_morphemes(line, analyser) and len(found) == 4
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len({tuple(one.morphemes) for one in found}) == 4
    seen = decompose(line)
    assert [one.score for one in best_analyses(seen, analyser, 2)] == scores[:2]
    assert best_analyses(seen, analyser, 2)[0].morphemes == text_morphemes(seen, analyser)


def test_mecabs_scores_are_the_costs_by_which_it_orders() -> None:
    """The first is the cost that the program `mecab` prints at the end; MeCab gives paths by ascending cost."""
    pytest.importorskip("mecab")
    line = "나는  하늘을 나는 새 를 봤다"
    command = [sys.executable, "-m", "mecab", "-E", "%pc\\n", "-F", ""]
    printed = subprocess.run(command, input=f"{line}\n", capture_output=True, encoding="utf-8", check=True).stdout
    costs = [cost for _, cost in mecab._paths(line, 200, AS_WRITTEN)]
    assert costs[0] == int(printed) == -best_analyses(line, "mecab", 1)[0].score
    assert costs == sorted(costs) and len(set(costs)) > 50


@pytest.mark.slow
def test_kiwi_reads_what_is_written_unless_asked() -> None:
    """Neither typing errors nor spaces are corrected, and the dictionary of misspelled words is not loaded."""
    pytest.importorskip("kiwipiepy")
    typo, spaces = "밥을 먹엇다", "사 랑 합 니 다"
    assert [one.form for one in text_morphemes(typo, "kiwi")][3:] == ["엇", "다"]
    asked = AnalyserSettings(corrects=True)
    assert [one.form for one in line_morphemes(typo, "kiwi", asked)][3:] == ["었", "다"]
    assert all(one.end - one.begin == 1 for one in text_morphemes(spaces, "kiwi"))
    corrected = line_morphemes(spaces, "kiwi", asked)
    assert (corrected[0].form, corrected[0].begin, corrected[0].end) == ("사랑", 0, 3)
    assert kiwi.load().tokenize("괜찬아")[0].form == "괜찬아"
    assert kiwi.load().global_config.space_tolerance == 0


@pytest.mark.slow
def test_an_unloaded_kiwi_gives_its_memory_back_and_returns() -> None:
    pytest.importorskip("kiwipiepy")
    before = text_morphemes(SENTENCE, "kiwi")
    loaded = _resident()
    kiwi.unload()
    assert not kiwi.is_loaded() and loaded - _resident() > kiwi.SIZE * 0.3
    assert text_morphemes(SENTENCE, "kiwi") == before and kiwi.is_loaded()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
