"""What the tokens of a model are in the grammar over its rounds, against a slow count; and the table of survivors."""

from collections import Counter

import numpy as np
import pytest

from app.parts.tables.classes import ALL_CLASSES, UNUSED, class_names, round_classes, sample_of, survival_table
from app.views.rounds.figures import SURVIVALS, survival_figure
from engine import TrainingSettings, train
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.token_classes import CLASSES, NONE
from engine.tokenizer import PrunedTokenizer, require_pruning
from tests.engine.measure.test_token_classes import gold_of, slow_classes

SENTENCES = [
    ["나는", "집에서는", "공부했다."],
    ["나는", "갔다"],
    ["물고기", "집에서는", "서울입니다"],
    ["나는", "하지", "a"],
]


class InRound:
    """A model's segmentation in one round, as `slow_classes` asks for it."""

    def __init__(self, model: PrunedTokenizer, number: int) -> None:
        self.model, self.number = model, number

    def encode(self, line: str):
        ends = self.rows(line)[1]
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        return type("Encoding", (), {"spans": spans})

    def rows(self, line: str) -> tuple[list[int], list[int]]:
        """The best path of the round's lattice, its bytes one by one."""
        lattice, rows, ends, at = self.model.lattice(line, self.number), [], [], 0
        alive = self.model.alive_rows(self.number)
        for arc in lattice.best_path:
            data = line[lattice.begin[arc] : lattice.end[arc]].encode()
            if lattice.number[arc] >= 0:
                rows, ends, at = [*rows, int(alive[lattice.number[arc]])], [*ends, at + len(data)], at + len(data)
                continue
            for byte in data:
                rows, ends, at = [*rows, self.model.tokens.index(bytes([byte]))], [*ends, at + 1], at + 1
        return rows, ends


@pytest.fixture(scope="module")
def model() -> PrunedTokenizer:
    lines = [" ".join(own) for own in SENTENCES for _ in range(3)]
    settings = TrainingSettings(vocab_size=268, partial_characters=False)
    return require_pruning(train(lines, settings))


def test_a_token_is_what_it_is_in_most_uses_of_all_rounds(model: PrunedTokenizer) -> None:
    analysis = gold_analysis(gold_of(*SENTENCES))
    uses: dict[int, Counter[int]] = {}
    for number in model.kept_rounds:
        segmenter = InRound(model, number)
        rows = [row for line in analysis.lines for row in segmenter.rows(line)[0]]
        for row, code in zip(rows, slow_classes(segmenter, analysis), strict=True):
            if code != NONE:
                uses.setdefault(row, Counter())[code] += 1
    expected = [
        min(code for code, count in uses[row].items() if count == max(uses[row].values())) if row in uses else NONE
        for row in range(len(model.tokens))
    ]
    classes = round_classes(model, analysis)
    assert len(model.kept_rounds) > 1 and len(set(expected)) > 3
    assert classes.tolist() == expected
    assert set(class_names(classes)) <= set(ALL_CLASSES) and (class_names(classes) == UNUSED).any()


def test_without_a_line_no_token_has_a_class(model: PrunedTokenizer) -> None:
    assert (round_classes(model, gold_analysis([])) == NONE).all()
    assert (round_classes(model, gold_analysis(gold_of([], []))) == NONE).all()


def test_the_survivors_of_each_class_are_counted_round_by_round(model: PrunedTokenizer) -> None:
    classes = round_classes(model, gold_analysis(gold_of(*SENTENCES)))
    table = survival_table(model, classes)
    assert len(table) == len(CLASSES) * len(model.kept_rounds)
    for row in table.itertuples():
        own = [k for k in model.alive_rows(row.number).tolist() if classes[k] == CLASSES.index(row.name)]
        assert row.kept == len(own)
    first = table[table["number"] == model.kept_rounds[0]]
    assert set(first["share"].dropna()) <= {1.0}
    assert table["share"].isna().equals(table["name"].isin(first.loc[first["kept"] == 0, "name"]))


def test_lines_of_a_sample_lie_evenly_over_the_text() -> None:
    lines = ["", *(f"{number:03}" for number in range(100)), ""]
    sample = sample_of(lines, "none", 60)
    assert sample.n_lines == 100 and sample.lines == lines[1:101:5]
    assert sample_of(lines, "none", 300).lines == lines[1:101]
    assert sample_of(["가" * 50], "none", 20) == (["가" * 20], 1)
    assert sample_of([], "none", 20) == ([], 0)
    assert sample_of(["\u1100\u1161"], "nfc", 20).lines == ["가"]


@pytest.mark.parametrize("column", SURVIVALS)
def test_a_figure_has_a_line_for_each_class_that_there_is(model: PrunedTokenizer, column: str) -> None:
    classes = round_classes(model, gold_analysis(gold_of(*SENTENCES)))
    figure = survival_figure(survival_table(model, classes), column, "en")
    present = {int(code) for code in classes if code != NONE}
    assert len(figure.data) == len(present)
    empty = survival_figure(survival_table(model, np.full(classes.size, NONE, dtype=np.int8)), column, "ko")
    assert not empty.data and empty.layout.title.text
