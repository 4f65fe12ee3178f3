"""No module imports itself by way of others: what stands above is known by its imports."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _modules(package: Path) -> dict[str, Path]:
    """The files of a package by the names that they are imported under."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _imports(path: Path, name: str, modules: dict[str, Path]) -> set[str]:
    """What a module imports of its package, functions' imports included and those for type checkers left out."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        waiting += node.orelse if _is_type_checking(node) else ast.iter_child_nodes(node)  # type: ignore[attr-defined]
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update(f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base for alias in node.names)
    return found & set(modules)


def _circle(package: Path) -> list[str]:
    """The modules of a circle, each imported by the one before it; empty where there is none."""
    modules = _modules(package)
    graph = {name: _imports(path, name, modules) for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


@pytest.mark.parametrize("package", ["engine", "app"])
def test_there_are_no_import_circles(package: str) -> None:
    assert _circle(ROOT / package) == []


@pytest.mark.parametrize(
    ("text", "is_circle"),
    [
        ("from inner.b import x", True),
        ("def f():\n    from inner import b", True),
        ("def f():\n    import inner.b", True),
        ("from .b import x", True),
        ("from . import b", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from inner.b import x", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\nelse:\n    from inner.b import x", True),
        ("import innerly.b", False),
    ],
)
def test_circles_are_found(text: str, is_circle: bool, tmp_path: Path) -> None:
    package = tmp_path / "inner"
    package.mkdir()
    for name, content in {"__init__": "", "a": text, "b": "from inner.c import y", "c": "import inner.a"}.items():
        (package / f"{name}.py").write_text(content, encoding="utf-8")
    assert bool(_circle(package)) == is_circle
