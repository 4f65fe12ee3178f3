"""Boundaries against slow counts: PMI, entropies, matching, the language model, patches, and the scorer."""

import json
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boundaries.language_model import CharacterModel, entropy_cuts
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.patches import ByteModel, attention_cost, entropy_patches, fixed_patches
from engine.boundaries.utility import TOTALS, UtilityMatcher
from engine.cli import main
from engine.corpus.reading.read import read_lines
from engine.errors import InputError
from engine.measure.contexts import right_entropies
from engine.segmentation.scoring import KINDS, f1_sums, harmonic_mean, read_gold, score_segmentation, stretches
from engine.segmentation.segmenter import METHODS, bpe_words, learn_boundaries, pieces, train_inside

LINES = st.lists(st.text("ab가나 ", min_size=1, max_size=12), min_size=1, max_size=6)


def _naive(lines: list[str], gram: str, edges: bool) -> tuple[int, float, float]:
    """Count, left and right entropy of an n-gram, from its occurrences one by one."""
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    count = 0
    for line in lines:
        for at in range(len(line) - len(gram) + 1):
            if line[at : at + len(gram)] == gram:
                count += 1
                before, after = line[at - 1 : at] if at else "", line[at + len(gram) : at + len(gram) + 1]
                left[before] += bool(before) or edges
                right[after] += bool(after) or edges

    def entropy(counts: Counter[str]) -> float:
        total = sum(counts.values())
        return -sum(c / total * math.log(c / total) for c in counts.values() if c) if total else 0.0

    return count, entropy(left), entropy(right)


@given(LINES, st.booleans())
def test_counts_and_entropies_equal_the_slow_ones(lines: list[str], edges: bool) -> None:
    ngrams = Ngrams(lines, 3, edges)
    grams = {line[i : i + n] for line in lines for n in (1, 2, 3) for i in range(len(line) - n + 1)}
    assert sum(level.keys.size for level in ngrams.levels) == len(grams)
    for gram in grams:
        number, level = ngrams.numbers(gram)[len(gram) - 1][0], ngrams.levels[len(gram) - 1]
        count, left, right = _naive(lines, gram, edges)
        assert level.counts[number] == count
        assert level.left_entropy[number] == pytest.approx(left, abs=1e-12)
        assert level.right_entropy[number] == pytest.approx(right, abs=1e-12)
    assert ngrams.numbers("zz")[1][0] == -1


@given(LINES, st.lists(st.text("ab가나 z", min_size=1, max_size=5), unique=True, max_size=8))
def test_followers_of_strings_equal_the_slow_ones(lines: list[str], strings: list[str]) -> None:
    for string, entropy in zip(strings, right_entropies(strings, lines).tolist(), strict=True):
        count, _, right = _naive(lines, string, True)
        assert math.isnan(entropy) if not count else entropy == pytest.approx(right, abs=1e-12)


@given(LINES, st.lists(st.text("ab가나 z\n", max_size=12), max_size=6), st.sampled_from([0.0, 1.0, math.inf]))
def test_lines_are_cut_at_once_as_one_by_one(lines: list[str], texts: list[str], lam: float) -> None:
    matcher = UtilityMatcher(Ngrams(lines, 3), lam)
    assert matcher.cut_lines(texts) == [matcher.cut(text) for text in texts]


def test_texts_of_n_grams_come_in_the_order_of_their_numbers() -> None:
    ngrams = Ngrams(["가나가", "나\U0001f600가"], 3)
    assert ngrams.texts(1) == ["가", "나", "\U0001f600"]
    assert ngrams.texts(2) == ["가나", "나가", "나\U0001f600", "\U0001f600가"]
    assert [ngrams.numbers(text)[2][0] for text in ngrams.texts(3)] == [0, 1]


def test_pmi_is_the_papers_formula() -> None:
    lines = ["abab", "abc"]
    ngrams = Ngrams(lines, 2)
    # f(ab) = 3, f(a) = 3, f(b) = 3; 7 characters, and 7 + 5 running n-grams.
    assert ngrams.pmi("ab", "characters")[0] == pytest.approx(math.log(3 * 7 / 9))
    assert ngrams.pmi("ab", "ngrams")[0] == pytest.approx(math.log(3 * 12 / 9))
    assert ngrams.pmi("ca", "characters")[0] == -math.inf


@given(LINES, st.sampled_from([0.0, 1.0, 4.0, math.inf]), st.sampled_from(TOTALS), st.text("ab가나z ", max_size=14))
def test_matching_takes_the_best_span_at_every_position(lines: list[str], lam: float, total: str, text: str) -> None:
    matcher = UtilityMatcher(Ngrams(lines, 3), lam, total)
    ends = matcher.cut(text)
    assert "".join(pieces(text, ends)) == text
    terms = matcher.terms(text)
    for begin, end in pairwise([0, *ends]):
        utility = {}
        for length in np.flatnonzero(np.isfinite(terms.pmi[begin])) + 1:
            gram, pmi, entropy = text[begin : begin + length], *(term[begin, length - 1] for term in terms)
            _, left, right = _naive(lines, gram, True)
            assert pmi == pytest.approx(min(matcher.ngrams.pmi(gram, total), default=0.0))
            assert entropy == pytest.approx(min(left, right), abs=1e-12)
            utility[length] = entropy if math.isinf(lam) else pmi + lam * entropy
        assert end - begin == max(utility, key=lambda length: (utility[length], length))


def _witten_bell(lines: list[str], order: int, context: str) -> list[float]:
    """P of the end, of every character and of an unknown one, by the definition."""
    outcomes = ["", *sorted({*"".join(lines)}), None]
    p = [1 / len(outcomes)] * len(outcomes)
    for length in range(min(order - 1, len(context)) + 1):
        before = context[len(context) - length :]
        places = [(line, at) for line in lines for at in range(length, len(line) + 1) if line[:at].endswith(before)]
        follows = Counter(line[at : at + 1] for line, at in places)
        if follows:
            whole = follows.total() + len(follows)
            p = [(follows[one] + len(follows) * q) / whole for one, q in zip(outcomes, p, strict=True)]
    return p


@given(LINES, st.integers(1, 4), st.text("ab가z", max_size=6))
def test_the_language_model_is_that_of_the_definition(lines: list[str], order: int, text: str) -> None:
    entropies = CharacterModel(Ngrams(lines, 4), order).entropies(text)
    expected = [-sum(p * math.log(p) for p in _witten_bell(lines, order, text[:at])) for at in range(len(text))]
    assert entropies == pytest.approx(expected)


def test_cuts_at_rises_and_peaks() -> None:
    entropies = np.array([1.0, 3.0, 2.0, 2.5, 2.7, 0.1])
    assert entropy_cuts(entropies, "rise") == [1, 3, 4, 6]
    assert entropy_cuts(entropies, "peak") == [1, 4, 6]
    assert entropy_cuts(np.array([])) == []
    with pytest.raises(InputError, match="rule"):
        entropy_cuts(entropies, "fall")


def test_a_particle_has_more_followers_than_the_inside_of_a_word() -> None:
    lines = ["대한민국은 크다", "대한민국이 이겼다", "대한민국에 산다", "대한민국의 봄"]
    ngrams = Ngrams(lines, 4)
    inner, whole = ngrams.numbers("대한민")[2][0], ngrams.numbers("대한민국")[3][0]
    assert ngrams.levels[2].right_entropy[inner] == 0
    assert ngrams.levels[3].right_entropy[whole] == pytest.approx(math.log(4))


def test_patches() -> None:
    assert fixed_patches(10, 4) == [4, 8, 10]
    # (N/P)^2 between patches and P^2 inside each of the N/P of them: N = 1024, P = 8.
    assert attention_cost(1024, 8) == 128**2 + 128 * 8**2
    assert entropy_patches(np.array([0.1, 2.0, 0.3, 0.9]), 0.5) == [1, 3, 4]
    assert entropy_patches(np.array([0.1, 2.0, 0.3, 0.9]), 1.0, relative=True) == [1, 4]
    assert entropy_patches(np.array([]), 1.0) == []
    entropies = ByteModel(["가나다 가나다"], 3).entropies("가나")
    assert entropies.size == 6
    with pytest.raises(InputError):
        fixed_patches(3, 0)


def test_the_scorer_by_hand() -> None:
    gold = [["the", "dog", "is", "on", "the", "boat"]]
    found = score_segmentation(gold, [["thedog", "is", "on", "the", "boat"]], {"the", "is"})
    assert (found.precision, found.recall) == (4 / 5, 4 / 6)
    assert (found.boundary_precision, found.boundary_recall) == (1.0, 4 / 5)
    assert found.boundary_f1 == pytest.approx(0.889, abs=1e-3)
    assert (found.n_oov, found.oov_recall) == (3, 2 / 3)  # dog, on, boat
    assert f1_sums(gold, [["thedog", "is", "on", "the", "boat"]]).tolist() == [[8, 11]]
    assert found.f1 == pytest.approx(8 / 11)
    same = score_segmentation(gold, gold)
    assert (same.f1, same.boundary_f1) == (1.0, 1.0)
    assert score_segmentation([["가"]], [["가"]]).boundary_f1 == 1.0
    with pytest.raises(InputError, match="different texts"):
        score_segmentation([["가"]], [["나"]])
    # The paper's best row: P 54.21, R 64.06.
    assert 100 * harmonic_mean(0.5421, 0.6406) == pytest.approx(58.73, abs=0.01)


def test_reading_gold() -> None:
    assert read_gold(["가  나", "", "# note", "다"]).words == [["가", "나"], ["다"]]
    # Eojeols with morphemes: sentences, what they cut the surface into, and those that cannot be cut.
    morphemes = ["# text = 나는 갔다", "나는\t나+는", "갔다\t가+았+다", "", "하지\t하", "하지\t하"]
    assert read_gold(morphemes) == ([["나", "는", "갔", "다"], ["하지", "하지"]], (("하지", 2),))
    treebank = ["1\t나는\t나+는\t_\tnpp+jxt\t_\t_\t_\t_\t_", "2\t가\t가\t_\tpvg\t_\t_\t_\t_\t_", ""]
    assert read_gold(treebank).words == [["나", "는", "가"]]
    with pytest.raises(InputError, match="line 2"):
        read_gold(["나는\t나+는", "가나"])


@given(st.lists(st.text("ab가", min_size=1, max_size=3), min_size=1, max_size=6), st.data())
def test_stretches_are_those_of_a_slow_count(gold: list[str], data: st.DataObject) -> None:
    text = "".join(gold)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1)))) if len(text) > 1 else []
    found = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    result = stretches(gold, found)
    assert "".join("".join(one.gold) for one in result) == "".join("".join(one.found) for one in result) == text
    assert [one.begin for one in result[1:]] == [one.end for one in result[:-1]]
    for one in result:
        assert one.kind == KINDS[(len(one.found) > 1) + 2 * (len(one.gold) > 1)]
        # No cut inside is of both.
        mine, theirs = ({len("".join(side[:k])) for k in range(1, len(side))} for side in (one.gold, one.found))
        assert not mine & theirs
    scores = score_segmentation([gold], [found])
    assert sum(one.kind == "right" for one in result) == round(scores.recall * len(gold))


@pytest.mark.slow
def test_gold_of_morphemes_is_read_as_sentences(shared_data: Path) -> None:
    table = read_gold(read_lines(shared_data / "ko_kaist_morph.tsv"))
    treebank = read_gold(read_lines(shared_data / "ko_kaist_dev.conllu"))
    assert len(table.words) == len(treebank.words) == 2066
    assert ["".join(own) for own in table.words] == ["".join(own) for own in treebank.words]
    assert sum(map(len, table.words)) == 46487
    assert [sum(times for _, times in own.whole) for own in (table, treebank)] == [664, 697]


@pytest.mark.parametrize("method", METHODS)
def test_odd_texts_and_bpe_inside(method: str) -> None:
    lines = ["가나가나다", "나다가나"] * 5
    cut = learn_boundaries(method, lines)
    for text in ("", "가", "가나다라마", "a😀가\x00 b", "가나다라z" * 20_000):
        assert "".join(pieces(text, cut(text))) == text
    model = train_inside(lines, cut, 20)
    for text in ("가나다", "가쀍나"):
        assert "".join(bpe_words(model, text, cut(text))) == text
    for line in lines:
        ends = np.cumsum([len(word) for word in bpe_words(model, line, cut(line))]).tolist()
        assert set(cut(line)) <= set(ends)


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="method"):
        learn_boundaries("mystery", ["가"])
    with pytest.raises(InputError, match="no text"):
        Ngrams(["", ""])
    with pytest.raises(InputError, match="lambda"):
        learn_boundaries("pmi-entropy", ["가"], -1.0)
    with pytest.raises(InputError, match="order"):
        learn_boundaries("lm-entropy", ["가"], order=9)


def test_a_huge_lambda_is_an_infinite_one() -> None:
    lines = ["가나가나다라", "다라가나"]
    cuts = [UtilityMatcher(Ngrams(lines), lam).cut_lines(lines) for lam in (1e308, float("inf"))]
    assert cuts[0] == cuts[1]


def test_segment_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, gold = tmp_path / "text", tmp_path / "gold"
    text.write_text("가나다라\n가나마바\n다라가나\n" * 5, encoding="utf-8")
    gold.write_text("가나  다라\n가나  마바\n다라  가나\n" * 5, encoding="utf-8")
    assert main(["segment", str(text), "--method", "pmi-entropy"]) == 0
    assert capsys.readouterr().out.splitlines()[0].replace("  ", "") == "가나다라"
    arguments = [
        "segment",
        str(text),
        "--method",
        "pmi-entropy",
        "--gold",
        str(gold),
        "--json",
        "--bpe-vocab-size",
        "30",
    ]
    assert main(arguments) == 0
    scores = json.loads(capsys.readouterr().out)
    assert set(scores) >= {"precision", "recall", "f1", "boundary_precision", "boundary_recall", "boundary_f1"}
    assert scores["f1"] == 1.0
    assert scores["vocab_size"] <= 30
    assert main(["segment", str(text), "--gold", str(text), "--method", "none"]) == 0
    capsys.readouterr()
    for bad, message in (
        (["--method", "pmi-entropy", "--lm", "folder"], "--lm is for"),
        (["--method", "lm-entropy", "--lm", str(tmp_path)], "language model"),
        (["--method", "pmi-entropy", "--lambda", "-1"], "lambda"),
        (["--method", "pmi-entropy", "--lambda", "nan"], "lambda"),
        (["--method", "lm-entropy", "--order", "12"], "order"),
        (["--bpe-vocab-size", "2"], "vocabulary"),
        (["--train", str(tmp_path / "none")], "none"),
        (["--train", ""], "cannot read"),
    ):
        assert main(["segment", str(text), *bad]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
    # GOLD itself is a text to cut, and without --train the text to learn from, in any of its forms.
    found = []
    for form in ("# a note\n가나  다라\n", "가나다라\t가나+다라\n"):
        gold.write_text(form, encoding="utf-8")
        assert main(["segment", str(gold), "--gold", str(gold), "--method", "lm-entropy", "--json"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
    gold.write_text("다른 글\n", encoding="utf-8")
    assert main(["segment", str(text), "--gold", str(gold)]) == 2
    assert "align them line by line" in capsys.readouterr().err
