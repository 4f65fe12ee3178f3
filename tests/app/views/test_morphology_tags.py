"""The view by part of speech: its table, its figure, and the lines behind an eojeol."""

import math

import numpy as np

from app.parts.tables.morphemes import analyses_table
from app.views.morphology.figures import MAX_TAGS, tags_figure
from app.views.morphology.tags import error_places, error_table, tags_table
from engine.corpus.morphemes.morpheme import Morpheme, ScoredAnalysis
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import parse_gold
from engine.measure.morphemes.morphology import TagError, TagScores
from engine.measure.result import Interval, Measure

NAN = float("nan")


def _scores(tag: str, n: int, cut: float, found: float) -> TagScores:
    interval = Interval(cut - 0.1, cut + 0.1)
    none = Measure("found", found, 0 if math.isnan(found) else n, "boundaries")
    return TagScores(tag, Measure("whole", 0.5, n, "pieces"), Measure("cut", cut, n, "pieces", interval), none)


SCORES = {
    "A": [_scores("NNG", 30, 0.25, NAN), _scores("JX", 20, 0.5, 1.0), _scores("", 9, 0.5, 0.5)],
    "B": [_scores("NNG", 30, 0.75, NAN)],
}


def test_a_row_for_each_tokenizer_and_known_tag_with_its_intervals() -> None:
    table = tags_table(SCORES, {"NNG": "noun"})
    assert table[["tokenizer", "tag", "name", "pieces"]].to_numpy().tolist() == [
        ["A", "NNG", "noun", 30],
        ["A", "JX", "JX", 20],
        ["B", "NNG", "noun", 30],
    ]
    first = table.iloc[0]
    assert (first["cut"], first["cut_low"], first["cut_high"]) == (0.25, 0.15, 0.35)
    assert math.isnan(first["found"]) and first["boundaries"] == 0
    assert tags_table({}, {}).empty


def test_cells_say_their_share_and_on_hover_the_interval() -> None:
    (cells,) = tags_figure(tags_table(SCORES, {"NNG": "noun"}), "cut", "t", "en").data
    assert list(cells.y) == ["noun NNG", "JX"] and list(cells.x) == ["A", "B"]
    assert np.array(cells.text).tolist() == [["25%", "75%"], ["50%", ""]]
    hover = np.array(cells.customdata)[0, 0]
    assert hover == "A<br>NNG noun<br>25.0% (15.0%–35.0%)<br>of 30 morphemes"
    (found,) = tags_figure(tags_table(SCORES, {}), "found", "t", "ko").data
    assert np.array(found.text).tolist() == [["", ""], ["100%", ""]]
    assert found.colorscale[0][1] == cells.colorscale[-1][1]  # bad is the same colour in both
    many = {"A": [_scores(f"T{k}", 100 - k, 0.5, NAN) for k in range(40)]}
    assert list(tags_figure(tags_table(many, {}), "cut", "t", "en").data[0].y) == [f"T{k}" for k in range(MAX_TAGS)]


def test_lines_of_an_eojeol() -> None:
    analysis = gold_analysis(parse_gold(["# text = 나는 너를 나는", "나는\t나+는", "너를\t너+를", "나는\t나+는"]))
    error = TagError("나는", "나+는", "나는", [0, 0])
    assert error_table([error]).to_numpy().tolist() == [["나는", "나+는", "나는", 2, 1]]
    places = error_places(error, analysis)
    assert [(one["line"], one["left"], one["token"], one["right"]) for one in places] == [
        (1, "", "나는", " 너를 나는"),
        (1, "나는 너를 ", "나는", ""),
    ]


def test_analyses_mark_what_the_best_does_not_have() -> None:
    best = [Morpheme(0, 1, "NP", "나"), Morpheme(1, 2, "JX", "는")]
    other = [Morpheme(0, 2, "VV", "나는")]
    table = analyses_table({"Kiwi": [ScoredAnalysis(best, -1.0), ScoredAnalysis(other, -2.5)]})
    assert table.to_numpy().tolist() == [["Kiwi", 1, -1.0, "나/NP 는/JX"], ["Kiwi", 2, -2.5, "【나는/VV】"]]
