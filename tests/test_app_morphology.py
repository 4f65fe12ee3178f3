"""The Morphology page: its figures are the engine's, its gold files are read, its grid is editable."""

import math

import numpy as np
import pandas as pd
import pytest

from app.views.morphology.figures import tradeoff_figure
from app.views.morphology.tables import MEASURES, grid_table, points_table, scores_row, scores_table
from engine.measure.analysis import gold_analysis
from engine.measure.gold import parse_gold
from engine.measure.morphology import morphology_scores
from engine.measure.paradigm import paradigm
from engine.measure.tradeoff import Point
from engine.shipped.morphology import stored_scores
from tests.pages import open_page
from tests.test_measure import Cutter
from tests.test_trainer import sentences, trained

GOLD = ["# text = 나는 집에", "나는\t나+는", "집에\t집+에", "", "# text = 너는", "너는\t너+는", ""]


def table_of(*names: str) -> pd.DataFrame:
    analysis = gold_analysis(parse_gold(GOLD))
    rows = {name: scores_row(morphology_scores(Cutter(*name.split("/")), analysis)) for name in names}
    return scores_table(rows)


def test_the_best_comes_first_and_has_its_interval() -> None:
    table = table_of("나는/너는/ 집/에", "나/는/너/ 집/에")
    assert table["tokenizer"].tolist() == ["나/는/너/ 집/에", "나는/너는/ 집/에"]
    assert table["f1"].tolist() == [1, 0.5] and table["interval"][0] == "1.000–1.000"
    assert {"fertility", *MEASURES} <= set(table)


def test_the_figure_has_a_point_a_tokenizer() -> None:
    table = table_of("나는/너는/ 집에", "나/는/너/ 집/에")
    names = table["tokenizer"].tolist()
    points = points_table({names[0]: [Point(9, 1, 2.0, 0.5), Point(20, 0, 1.5, 0.25)], names[1]: []})
    for language in ("ko", "en"):
        figure = tradeoff_figure(table, points_table({}), names, language)
        assert [(trace.x[0], trace.y[0]) for trace in figure.data] == [
            (row.fertility, row.f1) for row in table.itertuples()
        ]
        line, own = tradeoff_figure(table, points, names[:1], language).data[1:]
        assert [[*trace.x] for trace in (line, own)] == [[2.0, 1.5], [table["fertility"][0]]]
        assert [*line.y] == [0.5, 0.25]
        assert "20" in line.text[1] and "0" in line.text[1]
        assert figure.layout.title.text and not tradeoff_figure(table[:0], points, [], language).data
    one = table_of("나는/너는/ 집에")
    assert math.isnan(one["precision"][0])  # nothing is cut


def test_the_grid_marks_what_is_cut_unlike_its_column() -> None:
    grid = paradigm(Cutter(" 먹", "었다", " 웃었", "다", " 입"), ["먹", "웃", "입"], ["았/었다"])
    table = grid_table(grid, ["먹", "웃", "입"], ["았/었다"], "≠")
    assert table["-았/었다"].to_dict() == {"먹-": "먹|었다", "웃-": "웃었|다 ≠", "입-": "입|었다"}


def test_the_posterior_stands_beside_the_split() -> None:
    model = trained(sentences(60), vocab_size=300)
    grid = paradigm(model, ["먹"], ["고"])
    (cell,) = grid.cells[0]
    lattice = model.lattice(" 먹고")
    assert cell.posterior == pytest.approx(np.exp(lattice.best_log_prob - lattice.log_z))
    assert grid_table(grid, ["먹"], ["고"], "≠").iloc[0, 0] == f"{'|'.join(cell.pieces)} {cell.posterior:.2f}"


def test_what_is_stored_is_shown_and_what_is_not_is_named() -> None:
    app = open_page("morphology", shipped="thunder-tok-8k", public="gpt2", gold="kaist", lang="en")
    table = app.dataframe[0].value
    assert len(table) == len(stored_scores()) and table["f1"].is_monotonic_decreasing
    assert any("engine.shipped.morphology" in caption.value for caption in app.caption)
    points = next(frame.value for frame in app.dataframe if "vocab_size" in frame.value.columns)
    assert points["vocab_size"].tolist()[:1] == [8000] and len(set(points["tokenizer"])) == 2


@pytest.mark.slow
def test_the_page_in_use() -> None:
    app = open_page("morphology", shipped="none", public="gpt2.o200k_base", lang="en")
    (table,) = (frame.value for frame in app.dataframe[:1])
    assert sorted(table["f1"], reverse=True) == table["f1"].tolist() and len(table) == 2
    app = open_page("morphology", shipped="byte-bpe-32k", public="gpt2", paths="true", lang="en")
    points = next(frame.value for frame in app.dataframe if "vocab_size" in frame.value.columns)
    assert points.groupby("tokenizer").size().tolist() == [4, 1] and points["round"].isna().all()
    app = open_page("morphology", shipped="none", public="gpt2", view="grid", lang="en")
    assert len(app.dataframe) == 2
    app.text_input(key="morphology.stems").set_value("먹 abc").run()
    assert not app.exception and any("abc" in text.value for text in app.text)
    app.text_input(key="morphology.stems").set_value("보").run()
    assert app.dataframe[1].value.index.tolist() == ["보-"]


@pytest.mark.slow
def test_a_gold_file_of_ones_own() -> None:
    app = open_page("morphology", shipped="none", public="gpt2", gold="own", lang="ko")
    own = "\n".join([*GOLD, "하지\t하", ""]).encode()
    app.file_uploader(key="morphology.file").set_value(("gold.tsv", own, "text/plain")).run()
    assert not app.exception and app.dataframe[0].value["tokenizer"].tolist() == ["GPT-2"]
    assert app.dataframe[-1].value.values.tolist() == [["하지", "하"]]
    app.file_uploader(key="morphology.file").set_value(("bad.tsv", "나는 집에".encode(), "text/plain")).run()
    assert not app.dataframe and any("나는 집에" in text.value for text in app.text)
