"""Collocates are those of plain loops over windows; the measures give the published examples, and SciPy's G²."""

import random
from collections import Counter

import numpy as np
import pytest

from engine.errors import InputError
from engine.measure.collocates import (
    MAX_WINDOW,
    Collocates,
    check_windows,
    collocates,
    count_interval,
    cubic_mutual_information,
    has_near,
    log_dice,
    log_likelihood,
    mutual_information,
    sides_of,
    t_score,
    windows_of,
)
from engine.measure.layers import Layer, line_starts, word_layer
from engine.query.near import near_query, node_query, text_spans
from engine.query.parse import parse_query
from engine.query.text import SearchedText


def _array(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float64)


def test_published_examples() -> None:
    # Church and Hanks 1990, table 2: honorary (111) doctor (621), 12 together in 15 million words.
    assert mutual_information(_array(12), _array(111 * 621 / 15e6)) == pytest.approx([11.3], abs=0.06)
    # Manning and Schütze 1999, section 5.3.1: new (15,828) companies (4,675), 8 together in 14,307,668 words.
    assert t_score(_array(8), _array(15828 * 4675 / 14307668)) == pytest.approx([0.999932], abs=1e-5)
    # The same, table 5.12: most (12,593) powerful (932), 150 together.
    assert log_likelihood(_array(150), 932, _array(12593), 14307668) == pytest.approx([1291.42], rel=1e-4)
    # Rychlý 2008: 14 if the two only occur together, one point less for half as often.
    assert log_dice(_array(8, 4), 8, _array(8, 8)).tolist() == [14, 13]
    assert cubic_mutual_information(_array(4), _array(2)).tolist() == [5]  # log2(64 / 2)


def test_g2_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    random_ = random.Random(0)
    for _ in range(50):
        cells = [random_.randrange(0, 30) + (k == 3) for k in range(4)]
        o11, o12, o21, o22 = cells
        if not (o11 + o12 and o11 + o21 and o12 + o22 and o21 + o22):
            continue
        own = log_likelihood(_array(o11), o11 + o12, _array(o11 + o21), sum(cells))
        expected = stats.chi2_contingency([[o11, o12], [o21, o22]], correction=False, lambda_="log-likelihood")
        assert own == pytest.approx([expected.statistic], abs=1e-9)


def test_the_interval_of_a_count_is_where_the_score_test_does_not_reject() -> None:
    stats = pytest.importorskip("scipy.stats")
    z = stats.norm.ppf(0.975)
    for count in (1, 3, 10, 500):
        for end in count_interval(_array(count)):
            assert (count - end[0]) ** 2 / end[0] == pytest.approx(z**2)


def _naive(lines: list[list[str]], node: str, left: int, right: int) -> dict[str, tuple[int, int, int, int]]:
    """Of every word near the node: in windows, left, right, and in all."""
    near: Counter[str] = Counter()
    sides: list[Counter[str]] = [Counter(), Counter()]
    for words in lines:
        for i, word in enumerate(words):
            if word == node:
                continue
            is_left = any(words[j] == node for j in range(i + 1, min(len(words), i + left + 1)))
            is_right = any(words[j] == node for j in range(max(0, i - right), i))
            near[word] += is_left or is_right
            sides[0][word] += is_left
            sides[1][word] += is_right
    total = Counter(word for words in lines for word in words)
    return {word: (n, sides[0][word], sides[1][word], total[word]) for word, n in near.items() if n}


def _lines_with(lines: list[str], node: str, word: str, left: int, right: int) -> set[int]:
    return {i for i, line in enumerate(lines) if _naive([line.split()], node, left, right).get(word, (0,))[0]}


def _collocates(lines: list[str], node: str, left: int, right: int, least: int = 1) -> tuple[Collocates, Layer]:
    layer = word_layer(lines)
    text = SearchedText(lines, [layer])
    nodes = text.find(node_query(node, "words"))
    sides = sides_of(layer, line_starts(lines), nodes, left, right)
    windows = windows_of(sides, len(layer.begin))
    found = collocates(layer, windows, len(nodes.line), least)
    for kind in found.kind.tolist():
        has = has_near(layer, sides, windows, kind)
        assert set(nodes.line[has].tolist()) == _lines_with(lines, node, layer.labels[kind], left, right)
    return found, layer


@pytest.mark.parametrize(("left", "right"), [(1, 0), (0, 2), (2, 3), (9, 9)])
def test_counts_are_those_of_loops(left: int, right: int) -> None:
    random_ = random.Random(left)
    lines = [random_.choices("가나다라", k=random_.randrange(9)) for _ in range(40)]
    found, layer = _collocates([" ".join(words) for words in lines], "나", left, right)
    labels = layer.labels
    rows = zip(
        found.kind.tolist(),
        *(one.tolist() for one in (found.observed, found.left, found.right, found.frequency)),
        strict=True,
    )
    assert {labels[kind]: tuple(counts) for kind, *counts in rows} == _naive(lines, "나", left, right)
    others = sum(word != "나" for words in lines for word in words)
    assert (found.n_units, found.n_near, found.n_nodes) == (
        others,
        found.observed.sum(),
        sum(words.count("나") for words in lines),
    )
    assert found.expected == pytest.approx(found.n_near * found.frequency / others)
    assert np.all(np.diff(found.log_dice) <= 0) and np.all(np.diff(found.sorted_by("g2").g2) <= 0)
    for measure in ("log_dice", "mi", "mi3", "t"):
        low, high = found.interval(measure) or (None, None)
        assert np.all(low <= getattr(found, measure)) and np.all(getattr(found, measure) <= high)
    assert found.interval("g2") is None


def test_a_window_ends_with_its_line_and_the_least_count_holds() -> None:
    found, layer = _collocates(["가 나 다", "라 나 다", "라"], "나", 5, 5, least=2)
    assert [layer.labels[kind] for kind in found.kind] == ["다"]
    empty, _ = _collocates(["가 나"], "없음", 5, 5)
    assert empty.kind.size == 0 and empty.n_nodes == empty.n_near == 0


def test_windows_have_a_size() -> None:
    for left, right in [(0, 0), (-1, 3), (1, MAX_WINDOW + 1)]:
        with pytest.raises(InputError) as caught:
            check_windows(left, right)
        assert caught.value.code == "collocates.window"
    check_windows(0, 1)


def test_a_collocate_leads_to_its_lines() -> None:
    random_ = random.Random(1)
    lines = [" ".join(random_.choices(["가", 'a"b', "c\\d", "나"], k=6)) for _ in range(30)]
    layer = word_layer(lines)
    text = SearchedText(lines, [layer])
    for left, right in [(1, 1), (0, 3), (2, 0), (3, 2)]:
        for kind, word in enumerate(layer.labels):
            if word == "나":
                continue
            query = near_query('[word="나"]', layer, kind, left, right)
            assert query is not None
            found = set(text.find(parse_query(query)).line.tolist())
            assert found == _lines_with(lines, "나", word, left, right), query
    assert near_query('[tag="NNG"]', layer, 0, 2, 2) is None


def test_a_text_is_found_without_overlaps() -> None:
    spans = text_spans(["가가가 가", "", "나가"], "가")
    assert [one.tolist() for one in spans] == [[0, 0, 0, 0, 2], [0, 3, 6, 10, 3], [3, 6, 9, 13, 6]]
    assert text_spans(["가가가"], "가가").begin.tolist() == [0] and text_spans(["가"], "").line.size == 0
