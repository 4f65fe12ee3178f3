"""What the parts of the app hand each other has a type."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

APP = ROOT / "app"
_ANY = re.compile(r"\bAny\b")


def _untyped(path: Path) -> Iterator[str]:
    """Functions of a file, inner ones too, with an `Any` in a parameter or in what they return."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            annotations = [part.annotation for part in ast.walk(node.args) if isinstance(part, ast.arg)]
            if any(_ANY.search(ast.unparse(one)) for one in (*annotations, node.returns) if one is not None):
                yield f"{path.name}:{node.lineno} {node.name}"


@pytest.mark.parametrize("folder", ["session", "server", "parts"])
def test_no_signature_says_any(folder: str) -> None:
    assert [found for path in (APP / folder).rglob("*.py") for found in _untyped(path)] == []


@pytest.mark.parametrize(
    "signature", ["(a: Any)", "(*a: 'list[Any]')", "(*, a: dict[str, Any] | None = None)", "() -> 'Future[Any]'"]
)
def test_any_is_found_wherever_it_stands(tmp_path: Path, signature: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        f"class A:\n    async def f(self):\n        def g{signature}: ...\n    def h(self, a: AnyStr): ...\n"
    )
    assert list(_untyped(path)) == ["module.py:3 g"]
