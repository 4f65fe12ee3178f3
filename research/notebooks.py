"""Runs the notebooks of docs/notebooks from clean and stores what they print: `python -m research.notebooks`.

What differs between runs and machines (times, versions, ids) is not stored.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_ROOT = Path(__file__).resolve().parents[1]
FOLDER = _ROOT / "docs" / "notebooks"
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed(path: Path) -> Any:
    """The notebook run in its folder by this Python, with its outputs.

    Raises
    ------
    nbclient.exceptions.CellExecutionError : a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(_ROOT)})
    return plain(notebook)


def plain(notebook: Any) -> Any:
    """The notebook with nothing that changes from run to run; what is printed in pieces is one output."""
    notebook.metadata = nbformat.from_dict(_METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    return notebook


def _joined(outputs: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for output in outputs:
        is_stream = output.output_type == "stream"
        if is_stream and found and found[-1].output_type == "stream" and found[-1].name == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def main() -> int:
    """Run and store all of them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        sys.stderr.write(f"{path.name}\n")
        nbformat.write(executed(path), path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
