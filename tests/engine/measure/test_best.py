"""What counts as best: all that the text does not tell from it."""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.parts.data_table import in_bold
from engine import TrainingSettings, train
from engine.cli import main
from engine.measure import best
from engine.measure.best import FromBest, _p_value, holm, ties_with_best
from engine.measure.result import RESAMPLES, Interval, _distinct_pairs


def from_best(sums: list[np.ndarray], is_lowest: bool = False) -> list[FromBest]:
    return ties_with_best([sums], is_lowest)[0] if sums else []


def paired(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The interval of the difference, one draw after the other."""
    random = np.random.default_rng(0)
    differences = []
    for _ in range(RESAMPLES):
        lines = random.integers(0, len(a), len(a))
        differences.append(a[lines, 0].sum() / a[lines, 1].sum() - b[lines, 0].sum() / b[lines, 1].sum())
    return tuple(np.quantile(differences, [0.025, 0.975]))


def test_the_interval_is_that_of_the_paired_difference() -> None:
    random = np.random.default_rng(7)
    words = random.integers(5, 15, 80)
    tokens = 2 * words + random.integers(0, 6, 80)
    near = tokens + random.integers(-1, 2, 80)  # the same lines are long for both
    far = tokens + 1
    sums = [np.column_stack([own, words]) for own in (tokens, near, far)]
    found = from_best(sums, is_lowest=True)
    first = 0 if tokens.sum() <= near.sum() else 1
    assert found[first] == FromBest(0.0, (0, 0), 1.0)
    for own, one in zip(sums, found, strict=True):
        assert one.interval == pytest.approx(paired(own, sums[first]))
        assert one.difference == pytest.approx((own[:, 0].sum() - sums[first][:, 0].sum()) / words.sum())
    assert [one.is_best for one in found] == [True, True, False]
    assert from_best(sums)[2].is_best and not from_best(sums)[first].is_best
    # A pair's interval does not depend on the others.
    assert from_best([sums[first], sums[2]], is_lowest=True)[1][:2] == found[2][:2]


def test_what_cannot_be_told_is_not_best() -> None:
    one_line = [np.array([[3, 2]]), np.array([[4, 2]])]
    assert [one.is_best for one in from_best(one_line)] == [False, False]
    nothing = [np.zeros((4, 2), dtype=np.int64), np.zeros((4, 2), dtype=np.int64)]
    assert all(math.isnan(one.difference) and not one.is_best for one in from_best(nothing))
    assert ties_with_best([]) == [] and ties_with_best([[]]) == [[]]


def test_holm_as_worked_by_hand() -> None:
    # 0.005·4, 0.01·3, 0.03·2, 0.04·1 raised to the one before it: the example of most textbooks.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([0.02]) == [0.02] and holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_step_by_step(p_values: list[float], level: float) -> None:
    """The procedure as Holm states it: from the smallest on, against level / (hypotheses left)."""
    rejected: set[int] = set()
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for step, k in enumerate(order):
        if p_values[k] * (len(p_values) - step) > level:
            break
        rejected.add(k)
    assert {k for k, p in enumerate(holm(p_values)) if p <= level} == rejected


@pytest.mark.parametrize(("n", "t", "p"), [(11, 2.228, 0.05), (31, 2.750, 0.01), (61, 2.000, 0.05), (21, 1.725, 0.1)])
def test_p_values_are_those_of_a_table_of_student_s_t(n: int, t: float, p: float) -> None:
    assert _p_value(t, 1.0, n) == pytest.approx(p, rel=0.01)


def naive(table: list[list[np.ndarray]], is_lowest: bool) -> list[list[bool]]:
    """Ties by the pairs one at a time, Holm's steps in a loop."""
    best, pairs = [], []
    for i, sums in enumerate(table):
        values = [own[:, 0].sum() / own[:, 1].sum() for own in sums]
        best.append(values.index((min if is_lowest else max)(values)))
        for k, own in enumerate(sums):
            random, draws = np.random.default_rng(0), []
            for _ in range(RESAMPLES):
                lines = random.integers(0, len(own), len(own))
                a, b = own[lines].sum(axis=0), sums[best[i]][lines].sum(axis=0)
                draws.append(a[0] / a[1] - b[0] / b[1])
            if k != best[i]:
                p = _p_value(values[k] - values[best[i]], float(np.std(draws, ddof=1)), len(own))
                low, high = np.quantile(draws, [0.025, 0.975])
                sides = sum(one <= 0 for one in draws), sum(one >= 0 for one in draws)
                pairs.append((max(p, 2 * (1 + min(sides)) / (1 + RESAMPLES)) if low <= 0 <= high else p, i, k))
    ties = [[True] * len(sums) for sums in table]
    for left, (p, i, k) in zip(range(len(pairs), 0, -1), sorted(pairs), strict=True):
        if p * left >= 0.05:
            break
        ties[i][k] = False
    return ties


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 3), st.integers(6, 30), st.booleans())
def test_ties_are_those_of_the_naive_procedure(seed: int, n: int, texts: int, lines: int, is_lowest: bool) -> None:
    random = np.random.default_rng(seed)
    table = []
    for _ in range(texts):
        words = random.integers(3, 12, lines)
        table.append([np.column_stack([words + random.integers(0, 3 + k, lines), words]) for k in range(n)])
    found = [[one.is_best for one in own] for own in ties_with_best(table, is_lowest)]
    assert found == naive(table, is_lowest) and all(map(any, found))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 60))
def test_the_best_always_ties_and_a_larger_table_removes_no_tie(seed: int, n: int, lines: int) -> None:
    random = np.random.default_rng(seed)
    sums = [np.column_stack([random.integers(5, 9 + k, lines), np.full(lines, 5)]) for k in range(n)]
    alone, among = ties_with_best([sums])[0], ties_with_best([sums, sums])[0]
    assert max(alone, key=lambda one: one.difference).is_best
    assert all(not one.is_best or other.is_best for one, other in zip(alone, among, strict=True))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 40), st.booleans())
def test_best_is_what_the_interval_contains(seed: int, n: int, lines: int, skewed: bool) -> None:
    """Also on two or three lines, where all draws may be on one side of 0."""
    random = np.random.default_rng(seed)
    more = random.exponential(2, (n, lines)) if skewed else random.integers(0, 3, (n, lines))
    sums = [np.column_stack([9 + more[k], np.full(lines, 5)]) for k in range(n)]
    for found in ties_with_best([sums, sums[::-1], sums[:1]], is_lowest=True):
        for one in found:
            low, high = one.interval
            assert one.is_best == (low <= 0 <= high)


def test_more_noise_keeps_a_tie() -> None:
    """The same difference is told from 0 less often, the more the lines vary."""
    random = np.random.default_rng(3)
    ties = []
    for noise in (1, 4, 16):
        count = 0
        for _ in range(30):
            words = np.full(40, 20)
            a, b = (np.column_stack([40 + random.normal(mean, noise, 40), words]) for mean in (0, 1))
            found = from_best([a, b], is_lowest=True)
            count += all(one.is_best for one in found)
        ties.append(count)
    assert ties[0] <= ties[1] <= ties[2] and ties[0] < 10 < 25 < ties[2]


def test_few_lines_tell_nothing_apart() -> None:
    """No p-value below that of a sign test on as many lines: on five the smallest is 1/16."""
    sums = [np.column_stack([np.full(5, tokens), np.full(5, 5)]) for tokens in (6, 9)]
    assert [one.p for one in from_best(sums, is_lowest=True)] == [1.0, 1 / 16]


def test_the_commands_say_which_are_best(tmp_path, capsys) -> None:
    text = tmp_path / "text.txt"
    text.write_text("나는 학교에 갔다.\n너는 집에 왔다.\n책을 읽었다.\n" * 4, encoding="utf-8")
    gold = tmp_path / "gold.tsv"
    gold.write_text(6 * "나는\t나+는\n학교에\t학교+에\n\n너는\t너+는\n갔다\t가+았+다\n\n", encoding="utf-8")
    paths = [str(tmp_path / f"{name}.tok") for name in ("characters", "bytes")]
    for path in paths:
        lines = text.read_text(encoding="utf-8").split("\n")
        train(lines, TrainingSettings(algorithm=Path(path).stem, vocab_size=300)).save(path)
    models = ["--model", *paths]
    for command in (["fertility", *models, "--text", str(text)], ["morphology", *models, "--gold", str(gold)]):
        assert main([*command, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        best = [row for row in rows if row["best"]]
        assert best and all(row["from_best_low"] <= 0 <= row["from_best_high"] for row in best)
        assert any(row["from_best"] == 0 for row in best) and all(row["from_best_p"] > 0.05 for row in best)
        assert main(command) == 0
        table = capsys.readouterr().out.split("\n")
        assert table[0].endswith("\tbest")
        assert [line.endswith("\tyes") for line in table[1:3]] == [row["best"] for row in rows]


def test_words_are_counted_by_the_script_of_each_text(tmp_path, capsys) -> None:
    texts = {"ko": "나는 학교에 갔다.\n책을 읽었다.", "ja": "私は学校に行きました。\n本を読みました。"}
    for name, content in texts.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    command = ["fertility", "--model", "public:gpt2", "--text", *(str(tmp_path / name) for name in texts)]
    assert main([*command, "--json"]) == 0
    korean, japanese = json.loads(capsys.readouterr().out)
    assert (korean["words"], japanese["words"]) == (5, 19)
    assert "eojeol" in korean["word_definition"] and "character" in japanese["word_definition"]
    assert main(command) == 0
    notes = [line for line in capsys.readouterr().out.split("\n") if line.startswith("# word:")]
    assert len(notes) == 2 and str(tmp_path / "ja") in notes[1] and "character" in notes[1]
    assert main([*command, "--words", "eojeol", "--json"]) == 0
    assert [row["words"] for row in json.loads(capsys.readouterr().out)] == [5, 2]


def test_a_table_has_all_that_tie_in_bold() -> None:
    table = pd.DataFrame({"tokenizer": ["가", "나", "다"], "text": [1.5, 1.5036, 1.7]})
    styled = in_bold(table, pd.DataFrame({"text": [True, True, False]}))
    assert {cell for cell, css in styled._compute().ctx.items() if css} == {(0, 1), (1, 1)}
    assert "1.504" in styled.to_html()


@pytest.mark.parametrize("lines", [61, 300])
def test_a_single_model_is_best_with_and_without_draws(lines: int, monkeypatch) -> None:
    random = np.random.default_rng(lines)
    sums = np.column_stack([random.integers(0, 9, lines), random.integers(1, 5, lines)])
    (found,) = ties_with_best([[sums]])
    monkeypatch.setattr(best, "_NEVER_EMPTY", lines + 1)
    assert ties_with_best([[sums]]) == [found] == [[FromBest(0.0, Interval(0.0, 0.0), 1.0)]]


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 2**31)), min_size=1))
def test_pairs_of_whole_numbers_are_those_of_others(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T
    kinds, counts = _distinct_pairs(first, second)
    expected = Counter(sorted(pairs))
    assert [tuple(kind) for kind in kinds.tolist()] == list(expected) and counts.tolist() == list(expected.values())
    assert kinds.dtype == np.float64
