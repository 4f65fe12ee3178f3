"""What counts as best: all that the text does not tell from it."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from app.parts.data_table import in_bold
from engine import TrainingSettings, train
from engine.cli import main
from engine.measure.best import FromBest, from_best
from engine.measure.result import RESAMPLES


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
    assert found[first] == FromBest(0.0, (0, 0))
    for own, one in zip(sums, found, strict=True):
        assert one.interval == pytest.approx(paired(own, sums[first]))
        assert one.difference == pytest.approx((own[:, 0].sum() - sums[first][:, 0].sum()) / words.sum())
    assert [one.is_best for one in found] == [True, True, False]
    assert from_best(sums)[2].is_best and not from_best(sums)[first].is_best
    # A pair's interval does not depend on the others.
    assert from_best([sums[first], sums[2]], is_lowest=True)[1] == found[2]


def test_what_cannot_be_told_is_not_best() -> None:
    one_line = [np.array([[3, 2]]), np.array([[4, 2]])]
    assert [one.is_best for one in from_best(one_line)] == [False, False]
    nothing = [np.zeros((4, 2), dtype=np.int64), np.zeros((4, 2), dtype=np.int64)]
    assert all(math.isnan(one.difference) and not one.is_best for one in from_best(nothing))
    assert from_best([]) == []


def test_the_commands_say_which_are_best(tmp_path, capsys) -> None:
    text = tmp_path / "text.txt"
    text.write_text("나는 학교에 갔다.\n너는 집에 왔다.\n책을 읽었다.\n" * 4, encoding="utf-8")
    gold = tmp_path / "gold.tsv"
    gold.write_text("나는\t나+는\n학교에\t학교+에\n\n너는\t너+는\n갔다\t가+았+다\n\n", encoding="utf-8")
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
        assert any(row["from_best"] == 0 for row in best)
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
