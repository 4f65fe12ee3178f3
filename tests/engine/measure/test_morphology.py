"""Morphemes laid onto the surface, and tokens scored against them."""

import hashlib
import importlib.util
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cli import main
from engine.config import defaults_of
from engine.corpus.morphemes.analysers import has_hangul
from engine.corpus.reading.read import read_corpus, read_lines
from engine.errors import InputError
from engine.evidence.treebank import stored_facts, stored_scores
from engine.measure.morphemes.alignment import Alignment, align
from engine.measure.morphemes.analysis import OWN_TAGS, gold_analysis, silver_analysis, tagged_analysis
from engine.measure.morphemes.gold import parse_gold, read_gold, split_morphemes
from engine.measure.morphemes.morphology import MorphologyScores, boundary_f1, morphology_scores, tradeoff_points
from engine.measure.morphemes.tags import ENDING, kind_of_tag
from engine.model_files import load_tokenizer
from engine.public.catalogue import PUBLIC, PUBLIC_TOKENIZERS
from engine.public.load import load_public
from engine.shipped.catalogue import SHIPPED, load_shipped, shipped_content, shipped_models
from engine.training import train
from research.shipped.morphology import against_best, measured
from tests.conftest import ROOT
from tests.engine.measure.test_measure import Cutter
from tests.engine.unigram.test_trainer import sentences, trained

GOLD = ROOT / "assets" / "gold"

installed = pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")

# Two sentences of UD's ten columns, as UD_Korean-Kaist writes them.
CONLLU = """\
# text = 나는 웃었다. 밥도
1\t나는\t나+는\tPRON\tnpp+jxt\t_\t0\troot\t_\t_
2-3\t웃었다.\t_\t_\t_\t_\t_\t_\t_\t_
2\t웃었다\t웃+었+다\tVERB\tpvg+ep+ef\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tsf\t_\t2\tpunct\t_\t_
4\t밥도\t밥+도\tNOUN\tncn+jxc\t_\t2\tobj\t_\t_

# text = 먹어 봤다
1\t먹어\t먹+어\tVERB\tpvg+ecx\t_\t0\troot\t_\t_
2\t봤다\t보\tAUX\tpx+ep+ef\t_\t1\taux\t_\t_
""".splitlines()


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
    assert sum(align(surface, split_morphemes(morphemes)).sizes) == len(split_morphemes(morphemes))


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
    starts = tuple(len("".join(morphemes[:k])) for k in range(1, len(morphemes)))
    assert plain == Alignment(starts, (1,) * len(morphemes))
    other = align(surface, tuple(morphemes))
    if other is not None:
        assert list(other.boundaries) == sorted(set(other.boundaries))
        assert all(0 < cut < len(surface) for cut in other.boundaries)
        assert sum(other.sizes) == len(morphemes) and all(other.sizes)
        assert len(other.sizes) == len(other.boundaries) + 1


def test_morphemes_that_share_a_syllable_are_one_piece() -> None:
    assert align("갔다", ("가", "았", "다")) == Alignment((1,), (2, 1))
    assert align("서울입니다.", ("서울", "이", "ㅂ니다", ".")) == Alignment((2, 5), (1, 2, 1))
    assert align("가르칩니다", ("가르치", "ㅂ니다")) == Alignment((), (2,))


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


def _conllu(*words: str) -> list[str]:
    """Lines of words, each `form lemma xpos misc`."""
    return [f"{k}\t{f}\t{lemma}\tX\t{x}\t_\t0\tdep\t_\t{m}" for k, (f, lemma, x, m) in enumerate(map(str.split, words))]


def test_morphemes_of_the_surface_come_before_the_lemma() -> None:
    lines = _conllu("나는 _ PRP MSeg=나-는", "책은 책 NN+CM SpaceAfter=No|MSeg=책-은", ". . . _", "3-4 3-4 SN MSeg=3-4")
    assert [(w.surface, w.morphemes, w.tags) for w in parse_gold([*lines, ""])[0].words] == [
        ("나는", ("나", "는"), ()),
        ("책은.", ("책", "은", "."), ("NN", "CM", ".")),
        ("3-4", ("3-4",), ("SN",)),
    ]


def test_words_without_morphemes_are_no_gold() -> None:
    lines = _conllu("나는 _ PRP _", "책을 _ NN+CM _", "읽었다 _ VV _", ". . . _", "_ _ SY _")
    with pytest.raises(InputError, match=r"3 of 5 words have no morphemes.*MSeg"):
        parse_gold(lines)


@pytest.mark.parametrize(
    "line", ["나는 간다.\t나/NP 는/JX 가/VV ㄴ다/EF ./SF", "먹었다\t먹/VV 었/EP 다/EF", "나는 간다\t나+는+가+ㄴ다"]
)
def test_a_sentence_is_no_eojeol(line: str) -> None:
    with pytest.raises(InputError, match="line 2 of the gold file has a sentence"):
        parse_gold(["네\t네", line])


def test_morphemes_may_have_parts_of_speech() -> None:
    (first,), (second,), (third,) = (
        parse_gold([line])[0].words for line in ("걸었다.\t걷/VV-I+었/EP+다/EF+./SF", "1/2+x\t1/2+x", "A/S\tA/S")
    )
    assert (first.morphemes, first.tags) == (("걷", "었", "다", "."), ("VV-I", "EP", "EF", "SF"))
    assert (second.morphemes, second.tags) == (("1/2", "x"), ())
    assert (third.morphemes, third.tags) == (("A/S",), ())


@pytest.mark.slow
def test_no_model_is_best_on_the_few_eojeols_that_can_be_aligned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = ["나는\t나+는", "갔다\t가+았+다", "", "너는\t너+는", "왔다\t오+았+다", ""] * 4
    poor = ["went\tgo+ed", "3월\t4+월", ""] * 2
    for lines, best, said in (
        (gold + poor, True, "# aligned: 80.0% of the eojeols\n"),
        (gold + poor * 2, None, "66.7% of the eojeols; below 80%, no model is called best"),
    ):
        (path := tmp_path / "gold.tsv").write_text("\n".join(lines), encoding="utf-8")
        command = ["morphology", "--model", "shipped:thunder-tok-8k", "--gold", str(path)]
        assert main(command) == 0 and said in capsys.readouterr().out
        assert main([*command, "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert row["best"] is best
        assert row["aligned_share"] == row["aligned"] / row["eojeols"]


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
        (["1\t나는\t\tX\tnpp\t_\t_\t_\t_\t_"], "line 1"),
        (["# text = 너는", "나는\t나+는"], "line 2"),
    ],
)
def test_a_bad_gold_file_is_refused(lines, message) -> None:
    with pytest.raises(InputError, match=message):
        parse_gold(lines)


def scored(tokenizer, gold) -> MorphologyScores:
    """By the parts of speech of the file alone, whatever analysers are installed."""
    return morphology_scores(tokenizer, tagged_analysis(gold, OWN_TAGS))


def value(scores: MorphologyScores, name: str) -> tuple[float, int]:
    measure = scores.measures[name]
    return measure.value, measure.n


def test_scores_by_hand() -> None:
    gold = parse_gold(["# text = 나는 학교에 갔다", "나는\t나+는", "학교에\t학교+에", "갔다\t가+았+다"])
    # 나는| 학|교에| 갔|다: one false boundary, one hit (갔|다), two missed (나|는, 학교|에).
    scores = scored(Cutter("나는", " 학", "교에", " 갔", "다"), gold)
    assert (scores.n_words, scores.n_aligned, scores.n_fused, scores.by_tag) == (3, 3, 1, [])
    assert value(scores, "precision") == (1 / 2, 2) and value(scores, "recall") == (1 / 3, 3)
    assert value(scores, "f1") == (pytest.approx(2 / 5), 5)
    # 나, 는, 학교, 에 and 다 are visible; 갔 is two morphemes.
    assert value(scores, "preservation") == (1 / 5, 5)
    assert value(scores, "over_segmentation") == (0, 7)
    assert value(scores, "under_segmentation") == ((1 + 0 + 1) / 7, 7)
    assert value(scores, "clean") == (pytest.approx(2 / 3), 3)
    assert value(scores, "exact") == (pytest.approx(1 / 3), 3)
    assert math.isnan(value(scores, "morph_score")[0])  # nobody says where stems end
    assert scores.fertility.value == 5 / 3
    assert scores.measures["f1"].interval is None  # one sentence
    in_bytes = scored(Cutter(), gold)
    assert value(in_bytes, "recall")[0] == 1 and value(in_bytes, "preservation")[0] == 0
    assert value(in_bytes, "over_segmentation")[0] == pytest.approx((4 + 7 + 3) / 7)


def test_a_token_over_two_words_preserves_none() -> None:
    gold = parse_gold(["# text = 할 수", "할\t할", "수\t수"])
    assert value(scored(Cutter("할 수"), gold), "preservation") == (0, 2)
    assert value(scored(Cutter("할", " 수"), gold), "preservation") == (1, 2)
    assert math.isnan(value(scored(Cutter("할", " 수"), gold), "recall")[0])


def test_a_perfect_tokenizer_and_a_normalising_one() -> None:
    lines = ["# text = 나는 너를", "나는\t나+는", "너를\t너+를", "", "# text = 나를", "나를\t나+를", ""]
    scores = scored(Cutter("나", "는", " 너", "를"), parse_gold(lines))
    assert all(scores.measures[name].value == 1 for name in ("f1", "preservation", "exact"))
    assert scores.measures["f1"].interval == (1, 1)
    with pytest.raises(InputError, match="normalising"):
        scored(trained(sentences(60), vocab_size=300, normalization="nfd"), parse_gold(lines))


def test_conllu_has_parts_of_speech_and_eojeols_of_several_words() -> None:
    first, second = parse_gold(CONLLU)
    assert [word.surface for word in first.words] == ["나는", "웃었다.", "밥도"]
    assert first.words[1].morphemes == ("웃", "었", "다", ".") and first.words[1].tags == ("pvg", "ep", "ef", "sf")
    assert [word.complete for word in second.words] == [True, False]
    analysis = gold_analysis([first, second])
    assert analysis.unaligned == (("봤다", "보", 1),) and analysis.aligned.tolist() == [True, True, True, True, False]
    # 나|는 웃었다|. 밥도 먹어: the stems of 나는 and 웃었다 are cut off at the wrong place in the second.
    scores = morphology_scores(Cutter("나", "는", " 웃었다", ".", " 밥도", "먹어"), analysis)
    assert value(scores, "morph_score") == (1 / 2, 2)
    tags = {tag.tag: (tag.whole.value, tag.whole.n, tag.found.n) for tag in scores.by_tag}
    assert tags["npp"] == (1, 1, 0) and tags["ep"] == (0, 1, 1) and tags["sf"] == (1, 1, 1)
    assert sum(tag.found.n for tag in scores.by_tag) == scores.measures["recall"].n == 6


def slow_scores(tokenizer, gold) -> dict[str, list[float]]:
    """Every measure as its two sums, counted eojeol by eojeol from the definition."""
    sums: dict[str, list[float]] = {}

    def add(name: str, top: float, bottom: float) -> None:
        total = sums.setdefault(name, [0, 0])
        total[0] += top
        total[1] += bottom

    for sentence in gold:
        spans = [span for span in tokenizer.encode(sentence.text).spans if span[0] < span[1]]
        edges = {edge for span in spans for edge in span}
        for word in sentence.words:
            alignment = align(word.surface, word.morphemes)
            if alignment is None:
                continue
            inner = [word.begin + k for k in range(len(word.surface) + 1)]
            byte = [len(sentence.text[:k].encode()) for k in inner]
            cuts = {edge for edge in edges if byte[0] < edge < byte[-1]}
            marks = [byte[cut] for cut in alignment.boundaries]
            hits = sum(mark in cuts for mark in marks)
            add("precision", hits, len(cuts))
            add("recall", hits, len(marks))
            add("f1", 2 * hits, len(cuts) + len(marks))
            add("clean", cuts <= set(marks), 1)
            add("exact", cuts == set(marks), 1)
            first = itertools.accumulate(alignment.sizes)
            endings = [mark for mark, k in zip(marks, first, strict=False) if kind_of_tag(word.tags[k]) == ENDING]
            if endings and cuts:
                add("morph_score", endings[0] in cuts, 1)
            pieces = itertools.pairwise([byte[0], *marks, byte[-1]])
            for (a, b), size in zip(pieces, alignment.sizes, strict=True):
                holds = [span for span in spans if span[0] <= a and b <= span[1]]
                text = sentence.text.encode()
                if size == 1:
                    add("preservation", any(text[c:d].strip() == text[a:b] for c, d in holds), 1)
            surplus = len(cuts) + 1 - len(word.morphemes)
            add("over_segmentation", max(0, surplus), len(word.morphemes))
            add("under_segmentation", max(0, -surplus), len(word.morphemes))
    return sums


def plain_f1(tokenizer, gold) -> tuple[float, int]:
    """F1 counted in another way, of the eojeols whose morphemes spell them, and how many these are: a bar is put into
    the text after every token and every morpheme, and the bars of each eojeol are compared."""
    hits = predicted = marked = n = 0
    for sentence in gold:
        encoding = tokenizer.encode(sentence.text)
        data, ends = sentence.text.encode(), {end for _, end in encoding.spans}
        for word in sentence.words:
            if "".join(word.morphemes) != word.surface:
                continue
            n += 1
            begin = len(sentence.text[: word.begin].encode())
            size = len(word.surface.encode())
            assert data[begin : begin + size] == word.surface.encode()
            cuts = "".join("|" if begin + k in ends else "." for k in range(1, size))
            marks = "".join("." * (len(one.encode()) - 1) + "|" for one in word.morphemes)[:-1]
            hits += sum(a == b == "|" for a, b in zip(cuts, marks, strict=True))
            predicted += cuts.count("|")
            marked += marks.count("|")
    return 2 * hits / (predicted + marked), n


def agrees_with_the_plain_count(gold, least: float) -> None:
    """On the eojeols whose morphemes spell them, which are at least such a share of those that can be aligned."""
    spelled = [
        sentence._replace(words=[word for word in sentence.words if "".join(word.morphemes) == word.surface])
        for sentence in gold
    ]
    n_aligned = gold_analysis(gold).aligned.sum()
    for name in ("thunder-tok-8k", "unigram-32k", "byte-bpe-32k"):
        tokenizer = load_shipped(name)
        f1, n = plain_f1(tokenizer, gold)
        assert n >= least * n_aligned
        assert scored(tokenizer, spelled).measures["f1"].value == pytest.approx(f1, abs=1e-12)


@pytest.mark.slow
def test_f1_is_that_of_an_independent_count() -> None:
    agrees_with_the_plain_count(read_gold(GOLD / "ko_morphemes.tsv"), 0.85)


@pytest.mark.slow
def test_f1_on_a_treebank_is_that_of_an_independent_count(shared_data) -> None:
    agrees_with_the_plain_count(read_gold(shared_data / "ko_kaist_morph.tsv"), 0.8)


def test_the_points_are_the_scores_of_every_round_and_size() -> None:
    gold = parse_gold(["나는\t나+는", "꽃을\t꽃+을", "", "집에서는\t집+에서+는", "갔다\t가+았+다", ""])
    analysis = gold_analysis(gold)
    model = trained(sentences(60), vocab_size=300)
    points = list(tradeoff_points(model, analysis))
    assert [point.round for point in points] == list(reversed(model.kept_rounds)) and len(points) > 1
    for point in points:
        rows = [model.segment(line, point.round) for line in analysis.lines]
        ends, base = [], 0
        for line, (_, own) in zip(analysis.lines, rows, strict=True):
            ends += [base + end for end in own.tolist()]
            base += len(line.encode())
        assert point.vocab_size == model.alive_rows(point.round).size
        assert point.fertility == len(ends) / 4
        assert point.f1 == boundary_f1(np.array([0, *ends[:-1]]), np.array(ends), analysis)
    assert points[0].f1 == morphology_scores(model, analysis).measures["f1"].value
    merged = train(sentences(60), replace(defaults_of("byte-bpe"), vocab_size=320))
    points = list(tradeoff_points(merged, analysis))
    assert [point.vocab_size for point in points] == [320, 288, 272, 264]
    for point in points:
        own = morphology_scores(merged.merges.at(point.vocab_size - 256), analysis, has_parts=False)
        assert (point.fertility, point.f1) == (own.fertility.value, own.measures["f1"].value) and not own.by_tag


def test_what_is_stored_is_of_the_shipped_models() -> None:
    rows = {row["reference"]: row["sha256"] for row in stored_facts()["tokenizers"]}
    for name in shipped_models():
        assert rows[SHIPPED + name] == hashlib.sha256(shipped_content(name)).hexdigest()
    assert {one.reference for one in PUBLIC_TOKENIZERS.values()} <= set(rows)


@pytest.mark.slow
def test_what_is_stored_is_measured_again(shared_data) -> None:
    """By its own parts of speech, and against the best of all, the first here."""
    path = shared_data / "ko_kaist_dev.conllu"
    facts = stored_facts()["gold"]
    assert facts["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    analysis = gold_analysis(read_gold(path))
    assert (facts["tags_of"], facts["aligned"]) == (OWN_TAGS, analysis.aligned.sum())
    assert facts["unaligned"] == len(analysis.unaligned)
    pytest.importorskip("mecab")
    names = ("public:kortok-mecab-sp-32k", "shipped:bpe-mecab-32k", "shipped:byte-bpe-32k")
    found = [measured(load_public(names[0].removeprefix(PUBLIC)), analysis)]
    found += [measured(load_shipped(name.removeprefix(SHIPPED)), analysis) for name in names[1:]]
    for name, one, measures in zip(names, found, against_best(found), strict=True):
        assert (measures, one.points) == stored_scores()[name][1:]


WORDS = [
    ("나는", "나+는", "npp+jxt"),
    ("갔다", "가+았+다", "pvg+ep+ef"),
    ("했다.", "하+았+다+.", "pvg+ep+ef+sf"),
    ("책", "책", "ncn"),
    ("집에서는", "집+에서+는", "ncn+jca+jxt"),
    ("하지", "하", "pvg"),
    ("a1", "a+1", "f+nnc"),
]


def conllu_line(word: tuple[str, str, str]) -> str:
    surface, morphemes, tags = word
    return "\t".join(["1", surface, morphemes, "_", tags, *"_____"])


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=4),
    st.lists(st.text("나는 갔다했.집에서", min_size=1, max_size=4), max_size=8),
)
def test_scores_are_those_of_a_slow_count(words_of_sentences, tokens) -> None:
    gold = parse_gold([line for own in words_of_sentences for line in [*map(conllu_line, own), ""]])
    tokenizer = Cutter(*tokens)
    scores, slow = scored(tokenizer, gold), slow_scores(tokenizer, gold)
    for name, measure in scores.measures.items():
        top, bottom = slow.get(name, [0, 0])
        assert measure.n == bottom
        assert measure.value == pytest.approx(top / bottom) if bottom else math.isnan(measure.value)
    parts = [own["clean"].n for own in scores.by_frequency.values()]
    assert sum(parts) == scores.n_aligned


@installed
def test_mecab_as_silver_and_as_the_tags_of_a_gold_file() -> None:
    analysis = silver_analysis(["나는 학교에 갔다.", "", " \tㅋㅋ"])
    data = "".join(analysis.lines).encode()
    pieces = [data[a:b].decode() for a, b in zip(analysis.begin, analysis.end, strict=True)]
    tags = [analysis.tags[tag] for tag in analysis.tag]
    assert pieces[:7] == ["나", "는", "학교", "에", "갔", "다", "."] and "".join(pieces[7:]) == "ㅋㅋ"
    assert tags[:7] == ["NP", "JX", "NNG", "JKB", "VV+EP", "EF", "SF"]
    assert analysis.size[:7].tolist() == [1, 1, 1, 1, 2, 1, 1]
    assert analysis.aligned.all() and np.diff(analysis.word_ptr).tolist() == [3, 0, 1]
    gold = parse_gold(["# text = 나는 학교에 갔다.", "나는\t나+는", "학교에\t학+교+에", "갔다.\t가+았+다+."])
    tagged = gold_analysis(gold)
    assert [tagged.tags[tag] for tag in tagged.tag] == ["NP", "JX", "", "", "JKB", "VV+EP", "EF", "SF"]
    assert tagged.tags_of == analysis.tags_of == "mecab"


def test_an_analyser_tags_korean_alone(tmp_path, capsys) -> None:
    turkish = ["evlerde\tev+ler+de", "kitap\tkitap", "kedinin\tkedi+nin", "한국에\t한국+에", "2026\t2026"]
    (path := tmp_path / "tr.tsv").write_text("\n".join(turkish), encoding="utf-8")
    (row,) = json.loads(run(capsys, "--model", "public:gpt2", "--gold", str(path), "--json")[1])
    assert row["tags_of"] is None and row["morph_score"] is None and row["recall"] > 0
    (path := tmp_path / "tr.txt").write_text("evlerde kediler var", encoding="utf-8")
    code, _, error = run(capsys, "--model", "public:gpt2", "--gold", "mecab", "--text", str(path))
    assert code == 2 and "Hangul" in error and error.count("\n") == 1


def test_without_an_analyser_nobody_tags(monkeypatch) -> None:
    monkeypatch.setattr("engine.measure.morphemes.analysis.installed_analysers", list)
    analysis = gold_analysis(parse_gold(["나는\t나+는"]))
    assert analysis.tags_of is None and not analysis.has_tags
    assert gold_analysis(parse_gold(CONLLU)).tags_of == OWN_TAGS


@installed
@given(st.text("가나는을 \0\t\u3000a1.,ㅋ😀\n", max_size=40))
def test_mecabs_pieces_tile_the_eojeols_of_any_text(text: str) -> None:
    analysis = silver_analysis([text, "나는"])
    for word, (begin, end) in enumerate(zip(analysis.word_begin, analysis.word_end, strict=True)):
        own = analysis.word == word
        if not analysis.aligned[word]:
            assert not own.any() and not has_hangul("".join(analysis.lines).encode()[begin:end].decode())
            continue
        edges = [begin, *analysis.end[own]]
        assert edges[-1] == end and analysis.begin[own].tolist() == edges[:-1] and own.any()


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(["morphology", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_prints_a_row_a_model(tmp_path, capsys) -> None:
    model, gold = tmp_path / "model.tok", tmp_path / "gold.conllu"
    trained(sentences(60), vocab_size=300).save(model)
    gold.write_text("\n".join(CONLLU) + "\n", encoding="utf-8")
    code, out, _ = run(capsys, "--model", str(model), "public:gpt2", "--gold", str(gold), "--json")
    rows = json.loads(out)
    assert code == 0 and [row["model"] for row in rows] == [str(model), "public:gpt2"]
    assert all((row["gold"], row["silver"], row["tags_of"]) == (str(gold), False, "gold") for row in rows)
    assert rows[0]["eojeols"] == 5 and rows[0]["aligned"] == 4 and rows[0]["unaligned_examples"] == [["봤다", "보"]]
    assert rows[1]["recall"] == 1 and rows[1]["recall_low"] == rows[1]["recall_high"] == 1
    assert {row["tag"] for row in rows[0]["by_tag"]} >= {"npp", "jxt", "pvg", "ep", "ef"}
    table = run(capsys, "--model", str(model), "--gold", str(gold))[1]
    assert table.split("\n")[1].split("\t")[:5] == [str(model), str(gold), "no", "5", "4"]
    code, out, error = run(capsys, "--model", str(model), "--gold", "mecab")
    assert (code, out, error.count("\n")) == (2, "", 1) and "--text" in error


@installed
def test_the_command_says_what_is_silver(tmp_path, capsys) -> None:
    text = tmp_path / "text.txt"
    text.write_text("나는 학교에 갔다.\n책을 읽었다.\n", encoding="utf-8")
    arguments = ("--model", "public:gpt2", "--gold", "mecab", "--text", str(text))
    (row,) = json.loads(run(capsys, *arguments, "--json")[1])
    assert row["silver"] and row["tags_of"] == "mecab" and row["eojeols"] == row["aligned"] == 5
    assert "silver" in run(capsys, *arguments)[1]


def test_a_treebank_mostly_aligns(shared_data) -> None:
    gold = read_gold(shared_data / "ko_kaist_morph.tsv")
    assert sum(len(sentence.words) for sentence in gold) == 22467 and len(gold) == 2066
    words = {(word.surface, word.morphemes) for sentence in gold[:400] for word in sentence.words}
    aligned = sum(align(*word) is not None for word in words)
    assert aligned / len(words) > 0.95


@pytest.mark.slow
def test_more_tokens_keep_more_morphemes(shared_data, tmp_path) -> None:
    """At 8,000 tokens from the same 2 MB: SentencePiece above byte BPE above Thunder-Tok, as measured before."""
    import sentencepiece

    corpus = shared_data / "ko_reviews_small.txt"
    lines = read_corpus(corpus)
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(tmp_path / "sp"), vocab_size=8000, byte_fallback=True, minloglevel=2
    )
    tokenizers = [
        load_tokenizer(tmp_path / "sp.model"),
        *(train(lines, replace(defaults_of(name), vocab_size=8000)) for name in ("byte-bpe", "thunder-tok")),
    ]
    analysis = gold_analysis(read_gold(shared_data / "ko_kaist_dev.conllu"))
    assert analysis.aligned.sum() == 21770
    f1 = [morphology_scores(tokenizer, analysis).measures["f1"] for tokenizer in tokenizers]
    assert [measure.value for measure in f1] == pytest.approx([0.608, 0.525, 0.513], abs=0.005)
    # Each is above the other's interval.
    assert all(a.interval.low > b.interval.high for a, b in itertools.pairwise(f1))


@pytest.mark.slow
def test_the_treebank_and_its_table_agree(shared_data) -> None:
    """The table of two columns was made from the .conllu: the same eojeols, but for those that lack morphemes."""
    table = read_gold(shared_data / "ko_kaist_morph.tsv")
    treebank = read_gold(shared_data / "ko_kaist_dev.conllu")
    assert [sentence.text for sentence in table] == [sentence.text for sentence in treebank]
    for a, b in zip(table, treebank, strict=True):
        assert [word[:3] for word in a.words] == [word[:3] for word in b.words]
    assert gold_analysis(treebank).aligned.sum() == 21770
