"""The program's Python files, parsed and walked through once in a process for all tests that read them."""

import ast
from functools import cache

from tests.conftest import ROOT


@cache
def _parsed(folder: str) -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All that is in a module."""
    return tuple(ast.walk(tree))


def parsed(*folders: str) -> dict[str, ast.Module]:
    """The modules in these folders of the project, by their paths in it."""
    return {path: tree for folder in folders for path, tree in _parsed(folder).items()}
