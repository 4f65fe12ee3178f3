"""Forms of verbs against a table by hand, and against MeCab's analyses."""

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.hangul.conjugation import CLASSES, IRREGULAR, conjugate, stem_class
from engine.hangul.syllables import put_together, take_apart

ENDINGS = ("고", "(으)면", "아/어서", "았/었다", "(으)ㄴ", "습니다/ㅂ니다")

# Stem, class, and its forms with ENDINGS as grammars of Korean list them; written by hand.
TABLE = """
먹 regular 먹고 먹으면 먹어서 먹었다 먹은 먹습니다
받 regular 받고 받으면 받아서 받았다 받은 받습니다
입 regular 입고 입으면 입어서 입었다 입은 입습니다
웃 regular 웃고 웃으면 웃어서 웃었다 웃은 웃습니다
좋 regular 좋고 좋으면 좋아서 좋았다 좋은 좋습니다
가 regular 가고 가면 가서 갔다 간 갑니다
보 regular 보고 보면 봐서 봤다 본 봅니다
배우 regular 배우고 배우면 배워서 배웠다 배운 배웁니다
마시 regular 마시고 마시면 마셔서 마셨다 마신 마십니다
되 regular 되고 되면 돼서 됐다 된 됩니다
쉬 regular 쉬고 쉬면 쉬어서 쉬었다 쉰 쉽니다
보내 regular 보내고 보내면 보내서 보냈다 보낸 보냅니다
만들 regular 만들고 만들면 만들어서 만들었다 만든 만듭니다
놀 regular 놀고 놀면 놀아서 놀았다 논 놉니다
쓰 regular 쓰고 쓰면 써서 썼다 쓴 씁니다
바쁘 regular 바쁘고 바쁘면 바빠서 바빴다 바쁜 바쁩니다
예쁘 regular 예쁘고 예쁘면 예뻐서 예뻤다 예쁜 예쁩니다
따르 regular 따르고 따르면 따라서 따랐다 따른 따릅니다
돕 ㅂ 돕고 도우면 도와서 도왔다 도운 돕습니다
춥 ㅂ 춥고 추우면 추워서 추웠다 추운 춥습니다
아름답 ㅂ 아름답고 아름다우면 아름다워서 아름다웠다 아름다운 아름답습니다
듣 ㄷ 듣고 들으면 들어서 들었다 들은 듣습니다
깨닫 ㄷ 깨닫고 깨달으면 깨달아서 깨달았다 깨달은 깨닫습니다
짓 ㅅ 짓고 지으면 지어서 지었다 지은 짓습니다
낫 ㅅ 낫고 나으면 나아서 나았다 나은 낫습니다
하얗 ㅎ 하얗고 하야면 하얘서 하얬다 하얀 하얗습니다
그렇 ㅎ 그렇고 그러면 그래서 그랬다 그런 그렇습니다
퍼렇 ㅎ 퍼렇고 퍼러면 퍼레서 퍼렜다 퍼런 퍼렇습니다
빠르 르 빠르고 빠르면 빨라서 빨랐다 빠른 빠릅니다
부르 르 부르고 부르면 불러서 불렀다 부른 부릅니다
푸르 러 푸르고 푸르면 푸르러서 푸르렀다 푸른 푸릅니다
푸 우 푸고 푸면 퍼서 펐다 푼 풉니다
공부하 여 공부하고 공부하면 공부해서 공부했다 공부한 공부합니다
"""
ROWS = [line.split() for line in TABLE.split("\n") if line]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_forms_are_those_of_the_grammar(row: list[str]) -> None:
    stem, kind, *forms = row
    assert stem_class(stem) == kind
    assert [conjugate(stem, ending).surface for ending in ENDINGS] == forms


OTHERS = """
만들 (으)세요 만드세요
만들 (으)ㄹ까 만들까
만들 (으)려고 만들려고
만들 (으)오 만드오
만들 는 만드는
만들 는다/ㄴ다 만든다
먹 는다/ㄴ다 먹는다
가 는다/ㄴ다 간다
듣 (으)ㄹ 들을
춥 (으)ㄹ 추울
하얗 (으)ㄹ 하얄
모으 아/어 모아
오 아/어 와
"""


@pytest.mark.parametrize("row", [line.split() for line in OTHERS.split("\n") if line], ids=lambda row: row[2])
def test_other_endings(row: list[str]) -> None:
    stem, ending, form = row
    assert conjugate(stem, ending).surface == form


def test_where_stem_and_ending_stand() -> None:
    parts = {}
    for stem, ending in (
        ("먹", "았/었다"),
        ("가", "았/었다"),
        ("돕", "(으)면"),
        ("마시", "습니다/ㅂ니다"),
        ("듣", "아/어서"),
    ):
        surface, stem_end, ending_begin = conjugate(stem, ending)
        parts[surface] = (surface[:stem_end], surface[stem_end:ending_begin], surface[ending_begin:])
    assert parts == {
        "먹었다": ("먹", "", "었다"),
        "갔다": ("", "갔", "다"),
        "도우면": ("도", "우", "면"),
        "마십니다": ("마", "십", "니다"),
        "들어서": ("들", "", "어서"),
    }


def test_twins_are_told_apart_by_their_class() -> None:
    assert conjugate("묻", "아/어서").surface == "물어서"
    assert conjugate("묻", "아/어서", "regular").surface == "묻어서"
    assert set(IRREGULAR.values()) == set(CLASSES) - {"regular", "여"}


@pytest.mark.parametrize(
    ("stem", "ending", "kind"),
    [("", "고", None), ("abc", "고", None), ("먹", "", None), ("먹", "고", "ㅂ"), ("먹", "고", "x")],
)
def test_what_is_no_stem_is_refused(stem: str, ending: str, kind: str | None) -> None:
    with pytest.raises(InputError, match="without 다"):
        conjugate(stem, ending, kind)


@given(st.integers(ord("가"), ord("힣")).map(chr))
def test_a_syllable_is_its_letters(syllable: str) -> None:
    assert put_together(*take_apart(syllable)) == syllable


@given(
    st.text(st.integers(ord("가"), ord("힣")).map(chr), min_size=1, max_size=3),
    st.sampled_from([*ENDINGS, "(으)ㄹ", "는", "는다/ㄴ다"]),
)
def test_any_stem_has_a_form(stem: str, ending: str) -> None:
    form = conjugate(stem, ending)
    assert 0 <= form.stem_end <= form.ending_begin <= form.stem_end + 1 and form.ending_begin <= len(form.surface)


# What MeCab takes for other words: 논 for 놓은, 푼 for 풀린, 그래서 for a form of 그러다; rare words it does not know.
OTHER_WORDS = {"논", "놉니다", "하야면", "그래서", "그랬다", "그런", "퍼레서", "퍼렜다", "푸릅니다", "푼", "풉니다"}


@pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")
def test_mecab_finds_the_stem_in_the_forms() -> None:
    """MeCab's analysis of a form in a sentence begins with the stem, or with what irregular stems become (들 of 듣)."""
    import mecab

    tagger, missed = mecab.MeCab(), set()
    for stem, *_ in ROWS:
        for ending in ENDINGS:
            form = conjugate(stem, ending)
            after = " 사람" if ending == "(으)ㄴ" else "." if ending.endswith("다") else " 왔다"
            found = tagger.parse(f"친구가 {form.surface}{after}")[2:]
            parts = [part for own in found for part in (own.feature.expression or own.surface).split("+")]
            first = "".join(part.split("/")[0] for part in parts[:2])
            alone = form.surface[: form.stem_end] if form.stem_end == form.ending_begin else stem
            if not first.startswith((stem, alone)):
                missed.add(form.surface)
    assert missed <= OTHER_WORDS


# Endings as Kiwi takes them, with their tags; the adjectives of the table; what Kiwi tells apart by -R and -I.
KIWI_ENDINGS = [
    [("고", "EC")],
    [("면", "EC")],
    [("어서", "EC")],
    [("었", "EP"), ("다", "EF")],
    [("ᆫ", "ETM")],
    [("습니다", "EF")],
]
ADJECTIVES = ("좋", "바쁘", "예쁘", "춥", "아름답", "하얗", "그렇", "퍼렇", "빠르", "푸르")
KIWI_CLASS = {"regular": "-R", "르": "", "여": ""}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("kiwipiepy") is None, reason="kiwipiepy is not installed")
def test_kiwi_joins_stems_and_endings_to_the_same_forms() -> None:
    from kiwipiepy import Kiwi

    kiwi, differ = Kiwi(num_workers=1), {}
    for stem, kind, *_ in ROWS:
        tag = ("VA" if stem in ADJECTIVES else "VV") + KIWI_CLASS.get(kind, "-I")
        for ending, parts in zip(ENDINGS, KIWI_ENDINGS, strict=True):
            form, joined = conjugate(stem, ending).surface, kiwi.join([(stem, tag), *parts])
            if joined != form:
                differ[form] = joined
    # Vowel harmony, which Kiwi overlooks: 퍼렇다 becomes 퍼레, as the standard has it.
    assert differ == {"퍼레서": "퍼래서", "퍼렜다": "퍼랬다"}
