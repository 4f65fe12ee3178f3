"""A tokenizer over a grid of stems and endings."""

import math

import pytest

from engine.errors import InputError
from engine.measure.morphemes.paradigm import paradigm
from tests.engine.measure.test_measure import Cutter
from tests.engine.unigram.test_trainer import sentences, trained


def test_a_grid_by_hand() -> None:
    # 먹|었다, 웃었|다, 입|었다, and 갔다, whose ending alone is 다.
    grid = paradigm(Cutter(" 먹", "었다", " 웃었", "다", " 입", " 갔다"), ["먹", "웃", "입", "가"], ["았/었다"])
    cells = [row[0] for row in grid.cells]
    assert [cell.pieces for cell in cells] == [["먹", "었다"], ["웃었", "다"], ["입", "었다"], ["갔다"]]
    assert [cell.ending for cell in cells] == ["었다", "었다", "었다", "다"]
    assert [cell.is_usual for cell in cells] == [True, False, True, None]
    assert all(cell.posterior is None for cell in cells)
    # Two of three are cut alike.
    assert grid.ending_entropy == pytest.approx(-(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3)))
    assert grid.usual == pytest.approx(2 / 3)
    assert math.isnan(grid.stem_entropy)


def test_stems_before_endings() -> None:
    grid = paradigm(Cutter(" 먹", "고", "지", " 먹는", "다"), ["먹"], ["고", "지", "는다/ㄴ다"])
    assert [cell.pieces for cell in grid.cells[0]] == [["먹", "고"], ["먹", "지"], ["먹는", "다"]]
    assert grid.stem_entropy == pytest.approx(0.9182958)
    assert math.isnan(grid.ending_entropy) and math.isnan(grid.usual)


def test_cuts_inside_characters_and_words_alone() -> None:
    (row,) = paradigm(Cutter(" 먹"), ["먹"], ["고", "(으)ㄴ"]).cells
    assert [cell.pieces for cell in row] == [["먹", "고"], ["먹", "은"]]
    assert [len(cell.tokens) for cell in row] == [4, 4]
    assert paradigm(Cutter(), [], ["고"]).cells == []


def test_the_posterior_of_a_cell() -> None:
    model = trained(sentences(60), vocab_size=300)
    (row,) = paradigm(model, ["먹"], ["고"]).cells
    lattice = model.lattice(" 먹고")
    share = sum(math.exp(path.log_prob) for path in lattice.nbest(1)) / math.exp(lattice.log_z)
    assert row[0].posterior == pytest.approx(share) and 0 < share <= 1
    with pytest.raises(InputError, match="normalising"):
        paradigm(trained(sentences(60), vocab_size=300, normalization="nfd"), ["먹"], ["고"])
