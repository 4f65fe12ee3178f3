"""The Morphology page: its figures are the engine's, its gold files are read, its grid is editable."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.texts.catalogue import translate
from app.views.morphology.figures import tradeoff_figure
from app.views.morphology.tables import (
    MEASURES,
    against_best,
    grid_table,
    points_table,
    scores_row,
    scores_table,
    unusual_in_colour,
)
from engine.cli import main
from engine.corpus.reading.read import decode_bytes
from engine.evidence.treebank import stored_scores
from engine.measure.morphemes.analysis import gold_analysis
from engine.measure.morphemes.gold import parse_gold
from engine.measure.morphemes.morphology import TradeoffPoint, morphology_scores
from engine.measure.morphemes.paradigm import paradigm
from tests.engine.measure.test_measure import Cutter
from tests.engine.unigram.test_trainer import sentences, trained
from tests.pages import open_page, shared_commands

GOLD = ["# text = 나는 집에", "나는\t나+는", "집에\t집+에", "", "# text = 너는", "너는\t너+는", ""]


def table_of(*names: str) -> pd.DataFrame:
    analysis = gold_analysis(parse_gold(GOLD))
    rows = {name: scores_row(morphology_scores(Cutter(*name.split("/")), analysis)) for name in names}
    return scores_table(against_best(rows))


def test_the_best_comes_first_and_has_its_interval() -> None:
    table = table_of("나는/너는/ 집/에", "나/는/너/ 집/에")
    assert table["tokenizer"].tolist() == ["나/는/너/ 집/에", "나는/너는/ 집/에"]
    assert table["f1"].tolist() == [1, 0.5] and table["interval"][0] == "1.000–1.000"
    assert {"fertility", *MEASURES} <= set(table)


def test_the_figure_has_a_point_a_tokenizer() -> None:
    table = table_of("나는/너는/ 집에", "나/는/너/ 집/에")
    names = table["tokenizer"].tolist()
    points = points_table({names[0]: [TradeoffPoint(9, 1, 2.0, 0.5), TradeoffPoint(20, 0, 1.5, 0.25)], names[1]: []})
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
    table = grid_table(grid, ["먹", "웃", "입"], ["았/었다"])
    assert table["-았/었다"].to_dict() == {"먹-": "먹|었다", "웃-": "웃었|다 ≠", "입-": "입|었다"}
    coloured = unusual_in_colour(table)._compute().ctx
    assert [place for place, style in coloured.items() if "background-color" in dict(style)] == [(1, 0)]


def test_the_posterior_stands_beside_the_split() -> None:
    model = trained(sentences(60), vocab_size=300)
    grid = paradigm(model, ["먹"], ["고"])
    (cell,) = grid.cells[0]
    lattice = model.lattice(" 먹고")
    assert cell.posterior == pytest.approx(np.exp(lattice.best_log_prob - lattice.log_z))
    assert grid_table(grid, ["먹"], ["고"]).iloc[0, 0] == f"{'|'.join(cell.pieces)} {cell.posterior:.2f}"


def test_what_is_stored_is_shown_and_what_is_not_is_named() -> None:
    app = open_page("morphology", shipped="thunder-tok-8k", public="gpt2", gold="kaist", lang="en")
    table = app.dataframe[0].value
    assert len(table) == len(stored_scores()) and table["f1"].is_monotonic_decreasing
    assert any("research.shipped.morphology" in caption.value for caption in app.caption)
    assert "Gold standard: Kaist treebank (stored)" in [one.label for one in app.expander]
    points = next(frame.value for frame in app.dataframe if "vocab_size" in frame.value.columns)
    assert points["vocab_size"].tolist()[:1] == [8000] and len(set(points["tokenizer"])) == 2


def test_a_view_without_tokenizers_asks_for_some() -> None:
    for view in ("scores", "grid"):
        app = open_page("morphology", view=view, shipped="none", public="none", lang="en")
        assert [one.value for one in app.info] == [translate("morphology.choose", "en")]
        assert not app.exception and not app.dataframe


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
    assert app.dataframe[0].value.index.tolist() == ["보-"]


@pytest.mark.slow
def test_a_gold_file_of_ones_own() -> None:
    app = open_page("morphology", shipped="none", public="gpt2", gold="own", lang="ko")
    own = "\n".join([*GOLD, "한다.\t하+.", "하지\t하", "하지\t하", ""]).encode()
    app.file_uploader(key="morphology.file").set_value(("gold.tsv", own, "text/plain")).run()
    assert not app.exception and app.dataframe[0].value["tokenizer"].tolist() == ["GPT-2"]
    assert app.dataframe[-1].value.values.tolist() == [["하지", "하", 2], ["한다.", "하+.", 1]]
    assert shared_commands(app) == ["thunder-tok morphology --model public:gpt2 --gold gold.tsv"]
    app.file_uploader(key="morphology.file").set_value(("bad.tsv", "나는 집에".encode(), "text/plain")).run()
    assert not app.dataframe and any("나는 집에" in text.value for text in app.text)


UNTAGGED = """\
# text = 나는 학교에서 공부했다.
나는\t나+는
학교에서\t학교+에서
공부했다.\t공부+하+았+다+.

# text = 아름다운 꽃을 보았습니다.
아름다운\t아름답+ㄴ
꽃을\t꽃+을
보았습니다.\t보+았+습니다+.

# text = 맏아들이 돌아왔다고 하지
맏아들이\t맏+아들+이
돌아왔다고\t돌+아+오+았+다고
하지\t하
"""
TAGGED = """\
# text = 학생들은 공부했다.
1\t학생들은\t학생+들+은\tNOUN\tncn+xsnm+jxt\t_\t0\troot\t_\t_
2\t공부했다\t공부+하+았+다\tVERB\tncpa+xsv+ep+ef\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\tsf\t_\t2\tpunct\t_\t_

# text = 학교에 갔다
1\t학교에\t학교+에\tNOUN\tncn+jca\t_\t2\tobl\t_\t_
2\t갔다\t가+았+다\tVERB\tpvg+ep+ef\t_\t0\troot\t_\t_
"""


@pytest.fixture
def read_here(monkeypatch) -> None:
    """Files are read without the process of their own that a server gives them."""
    monkeypatch.setattr(
        "app.views.morphology.chosen_gold.read_text_file", lambda data, visitor, is_gold: decode_bytes(data)[0]
    )


def check_page_equals_command(app: AppTest, capsys, models: list[str], path: Path, tags_of: str) -> None:
    app.file_uploader(key="morphology.file").set_value((path.name, path.read_bytes(), "text/plain")).run()
    assert not app.exception
    assert main(["morphology", "--model", *models, "--gold", str(path), "--json"]) == 0
    told = sorted(json.loads(capsys.readouterr().out), key=lambda row: -row["f1"])
    against = ("from_best", "from_best_low", "from_best_high", "best")
    names = {"low": "f1_low", "high": "f1_high", **{name: name for name in ("fertility", *MEASURES, *against)}}
    shown = app.dataframe[0].value.to_dict("records")
    assert [{name: row[name] for name in names} for row in shown] == [
        {name: row[key] for name, key in names.items()} for row in told
    ]
    assert [row["tags_of"] for row in told] == [tags_of] * len(models)
    n, distinct = told[0]["unaligned_eojeols"], told[0]["unaligned"]
    assert not n or any(f"{n:,} in the text, {distinct:,} distinct" in one.label for one in app.expander)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")
def test_the_page_measures_what_the_command_measures(tmp_path, capsys, read_here, monkeypatch) -> None:
    app = open_page("morphology", shipped="thunder-tok-8k", public="gpt2", gold="own", lang="en")
    for name, text, tags_of in (("a.tsv", UNTAGGED, "mecab"), ("b.conllu", TAGGED, "gold")):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        check_page_equals_command(app, capsys, ["shipped:thunder-tok-8k", "public:gpt2"], path, tags_of)
    monkeypatch.setattr("app.views.morphology.chosen_gold._MAX_CHARACTERS", 10)
    app.file_uploader(key="morphology.file").set_value(("c.tsv", UNTAGGED.encode(), "text/plain")).run()
    assert not app.dataframe and any("characters of text" in text.value for text in app.text)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mecab") is None, reason="python-mecab-ko is not installed")
def test_the_page_measures_a_treebank_as_the_command_does(tmp_path, shared_data, capsys, read_here) -> None:
    app = open_page("morphology", shipped="byte-bpe-32k", public="none", gold="own", lang="en")
    for name, tags_of in (("ko_kaist_morph.tsv", "mecab"), ("ko_kaist_dev.conllu", "gold")):
        sentences = (shared_data / name).read_text(encoding="utf-8").split("\n\n")[:400]
        (path := tmp_path / name).write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
        check_page_equals_command(app, capsys, ["shipped:byte-bpe-32k"], path, tags_of)
