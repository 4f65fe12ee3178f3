"""Morphemes laid onto the surface, and tokens scored against them."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.read import read_lines
from engine.errors import InputError
from engine.measure.alignment import Alignment, align
from engine.measure.morphology import morphology_scores, parse_gold, read_gold, split_morphemes
from tests.conftest import ROOT
from tests.test_measure import Cutter
from tests.test_trainer import sentences, trained

GOLD = ROOT / "assets" / "gold"


def pieces(surface: str, morphemes: str) -> list[str] | None:
    alignment = align(surface, split_morphemes(morphemes))
    if alignment is None:
        return None
    edges = [0, *alignment.boundaries, len(surface)]
    return [surface[a:b] for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize(
    ("surface", "morphemes", "expected"),
    [
        ("학교에서", "학교+에서", "학교 에서"),
        ("갔다", "가+았+다", "갔 다"),
        ("했다.", "하+았+다+.", "했 다 ."),
        ("서울입니다.", "서울+이+ㅂ니다+.", "서울 입니다 ."),
        ("가르칩니다", "가르치+ㅂ니다", "가르칩니다"),
        ("만드는", "만들+는", "만드 는"),
        ("만든", "만들+ㄴ", "만든"),
        ("없을", "없+ㄹ", "없 을"),
        ("붙였다", "붙이+었+다", "붙였 다"),
        ("반대다", "반대+이+다", "반대 다"),
        ("따라", "따르+아", "따라"),
        ("이르러", "이르+어", "이르 러"),
        ("happily", "happy+ly", "happi ly"),
        ("stopped", "stop+ed", "stop ped"),
    ],
)
def test_boundaries_on_the_surface(surface, morphemes, expected) -> None:
    found = pieces(surface, morphemes)
    assert found == expected.split()
    assert align(surface, split_morphemes(morphemes)).n_fused == morphemes.count("+") + 1 - len(found)


@pytest.mark.parametrize(
    ("surface", "morphemes"),
    [("하지", "하"), ("있었습니다.", "있+."), ("한다.", "하+."), ("went", "go+ed"), ("3월", "4+월")],
)
def test_what_cannot_be_aligned_is_none(surface, morphemes) -> None:
    assert pieces(surface, morphemes) is None


@given(st.lists(st.text(alphabet="가각았ㄴㅂa1+", min_size=1, max_size=4), min_size=1, max_size=4), st.text(max_size=6))
def test_alignment_of_anything_is_in_order(morphemes, surface) -> None:
    whole = "".join(morphemes)
    plain = align(whole, tuple(morphemes))
    assert plain == Alignment(tuple(len("".join(morphemes[:k])) for k in range(1, len(morphemes))), 0)
    other = align(surface, tuple(morphemes))
    if other is not None:
        assert list(other.boundaries) == sorted(set(other.boundaries))
        assert all(0 < cut < len(surface) for cut in other.boundaries)
        assert other.n_fused + len(other.boundaries) == len(morphemes) - 1


def test_the_two_korean_gold_files_agree() -> None:
    """The surface pieces of ko_nospace.txt, written by hand, are what the alignment finds."""
    differ = []
    for sentence, line in zip(read_gold(GOLD / "ko_morphemes.tsv"), read_lines(GOLD / "ko_nospace.txt"), strict=True):
        found = [p for word in sentence.words for p in pieces(word.surface, "+".join(word.morphemes))]
        differ += [] if found == line.split() else [sentence.text]
    # 들려주+시+었+어요: the boundary before 셨 can be seen, the file leaves it out.
    assert set(differ) <= {"할머니께서 옛날이야기를 들려주셨어요."}


def test_a_plus_sign_can_be_a_morpheme() -> None:
    assert split_morphemes("a+b") == ("a", "b")
    assert split_morphemes("1+++2") == ("1", "+", "2")
    assert split_morphemes("+") == ("+",) and split_morphemes("씨+") == ("씨+",)


def test_formats_of_the_gold_file() -> None:
    with_text = parse_gold(["# sent_id = 1", "# text = 나는  갔다", "나는\t나+는", "갔다\t가+았+다", "", "", "네\t네"])
    assert [s.text for s in with_text] == ["나는  갔다", "네"]
    assert [word.begin for word in with_text[0].words] == [0, 4]
    assert [s.text for s in parse_gold(["나는\t나+는", "갔다\t가+았+다", "", "네\t네"])] == ["나는 갔다", "네"]
    assert [s.text for s in parse_gold(["나는\t나+는", "갔다\t가+았+다"])] == ["나는", "갔다"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no eojeols"),
        (["# text = a"], "no eojeols"),
        (["나는"], "line 1"),
        (["나는\t"], "line 1"),
        (["# text = 너는", "나는\t나+는"], "line 2"),
    ],
)
def test_a_bad_gold_file_is_refused(lines, message) -> None:
    with pytest.raises(InputError, match=message):
        parse_gold(lines)


def test_scores_by_hand() -> None:
    gold = parse_gold(["# text = 나는 학교에 갔다", "나는\t나+는", "학교에\t학교+에", "갔다\t가+았+다"])
    # 나는| 학|교에| 갔|다: one false boundary, one hit (갔|다), two missed (나|는, 학교|에).
    scores = morphology_scores(Cutter("나는", " 학", "교에", " 갔", "다"), gold)
    assert (scores.n_words, scores.n_aligned, scores.n_fused, scores.unaligned) == (3, 3, 1, ())
    assert (scores.precision.value, scores.precision.n) == (1 / 2, 2)
    assert (scores.recall.value, scores.recall.n) == (1 / 3, 3)
    assert scores.f1.value == pytest.approx(2 / 5)
    # 나, 는, 학교, 에 and 다 are visible; 갔 is two morphemes.
    assert (scores.preservation.value, scores.preservation.n) == (1 / 5, 5)
    assert (scores.over_segmentation.value, scores.over_segmentation.n) == (0, 7)
    assert scores.f1.interval is None  # one sentence
    in_bytes = morphology_scores(Cutter(), gold)
    assert in_bytes.recall.value == 1 and in_bytes.preservation.value == 0
    assert in_bytes.over_segmentation.value == pytest.approx((4 + 7 + 3) / 7)


def test_a_token_over_two_words_preserves_none() -> None:
    gold = parse_gold(["# text = 할 수", "할\t할", "수\t수"])
    assert morphology_scores(Cutter("할 수"), gold).preservation.value == 0
    assert morphology_scores(Cutter("할", " 수"), gold).preservation.value == 1
    assert math.isnan(morphology_scores(Cutter("할", " 수"), gold).recall.value)


def test_a_perfect_tokenizer_and_a_normalising_one() -> None:
    lines = ["# text = 나는 너를", "나는\t나+는", "너를\t너+를", "", "# text = 나를", "나를\t나+를", ""]
    scores = morphology_scores(Cutter("나", "는", " 너", "를"), parse_gold(lines))
    assert scores.f1.value == scores.preservation.value == 1 and scores.f1.interval == (1, 1)
    with pytest.raises(InputError, match="normalising"):
        morphology_scores(trained(sentences(60), vocab_size=300, normalization="nfd"), parse_gold(lines))


def test_a_treebank_mostly_aligns(shared_data) -> None:
    gold = read_gold(shared_data / "ko_kaist_morph.tsv")
    assert sum(len(sentence.words) for sentence in gold) == 22467 and len(gold) == 2066
    words = {(word.surface, word.morphemes) for sentence in gold[:400] for word in sentence.words}
    aligned = sum(align(*word) is not None for word in words)
    assert aligned / len(words) > 0.95
