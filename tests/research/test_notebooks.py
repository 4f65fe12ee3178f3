"""The notebooks run from clean and print what is stored; what is stored shows nothing that acts or changes."""

import json
from pathlib import Path

import pytest

from research.notebooks import FOLDER, executed, plain
from tests.conftest import ROOT

_NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.keyed("assets", "docs/notebooks", "engine", "research/notebooks.py", "thundertok")
@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_is_stored(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    stored = nbformat.read(path, as_version=4)
    found = executed(path)
    for number, (cell, kept) in enumerate(zip(found.cells, stored.cells, strict=True)):
        assert cell == kept, f"cell {number}; run `make notebooks`"


@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_complete_and_plain(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    stored = nbformat.read(path, as_version=4)
    assert stored == plain(nbformat.read(path, as_version=4)), "run `make notebooks`"
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    assert sum(bool(cell.outputs) for cell in code) > len(code) / 2
    for cell in code:
        for output in cell.outputs:
            assert output.output_type != "error"
            text = json.dumps(output)
            assert "<script" not in text and "image/png" not in text
            assert str(ROOT) not in text and "/tmp/" not in text


def test_there_are_the_four_that_the_documentation_names() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert len(_NOTEBOOKS) == 4
    assert all(f"(notebooks/{path.name})" in page for path in _NOTEBOOKS)
