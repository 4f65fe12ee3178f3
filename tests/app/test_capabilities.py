"""The app asks a tokenizer for what it can do, never which class it is: else an imported one is left out somewhere."""

import ast
from collections.abc import Iterator

import pytest

from tests.app.sources import nodes, parsed

# Where the classes of tokenizers are.
KINDS = ("engine.unigram", "engine.merges", "engine.interop")
# What a tokenizer is called.
NAMES = ("model", "tokenizer", "active")


def questions(tree: ast.Module) -> Iterator[str]:
    """The lines of a module that ask for a tokenizer's class, or for an attribute that it may not have."""
    classes = {
        alias.asname or alias.name
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(KINDS)
        for alias in node.names
    }
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            asked, about = node.args[:2]
            named = {one.id for one in ast.walk(about) if isinstance(one, ast.Name)}
            if node.func.id in ("isinstance", "issubclass") and named & classes:
                yield ast.unparse(node)
            if node.func.id in ("getattr", "hasattr") and isinstance(about, ast.Constant) and _is_tokenizer(asked):
                yield ast.unparse(node)


def _is_tokenizer(node: ast.expr) -> bool:
    """`model`, `active.model`, `self._tokenizer`, or an attribute of one."""
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    names += [one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)]
    return any(part in NAMES for name in names for part in name.split("_"))


def test_no_module_asks_for_a_class() -> None:
    modules = parsed("app")
    assert len(modules) > 100
    asked = {path: list(questions(tree)) for path, tree in modules.items()}
    assert {path: found for path, found in asked.items() if found} == {}


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(model, Model)",
        "isinstance(one, (int, Model))",
        "issubclass(kind, Model)",
        "getattr(active.model, 'settings', None)",
        "getattr(getattr(tokenizer, 'settings', None), 'unknown', None)",
        "hasattr(_first_model, 'merges')",
    ],
)
def test_a_question_is_found(line: str) -> None:
    assert list(questions(ast.parse(f"from engine.unigram.model.model import Model\n{line}")))


@pytest.mark.parametrize("line", ["isinstance(text, str)", "getattr(settings, name)", "getattr(limits(), 'jobs')"])
def test_other_questions_are_allowed(line: str) -> None:
    assert not list(questions(ast.parse(f"from engine.unigram.model.model import Model\n{line}")))
