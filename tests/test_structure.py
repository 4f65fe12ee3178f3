"""One name for one thing, and folders that a newcomer can read through."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.app.sources import nodes, parsed
from tests.conftest import ROOT

_MOST_FILES = 22
_FOLDERS = ("app", "engine", "research", "thundertok")


def test_no_class_name_is_defined_twice() -> None:
    found = defaultdict(list)
    for path, tree in parsed(*_FOLDERS).items():
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path}:{node.lineno}")
    assert len(found) > 300
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_value_of_a_module_is_set_twice() -> None:
    """Two modules that become one may have a constant of the same name."""
    for path, tree in parsed(*_FOLDERS).items():
        targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        assert len(names) == len(set(names)), (path, [name for name in names if names.count(name) > 1])


def test_no_folder_has_more_files_than_a_screen_shows() -> None:
    counts = defaultdict(int)
    for path in (
        path for folder in ("app", "engine", "research", "tests", "thundertok") for path in (ROOT / folder).rglob("*")
    ):
        counts[path.parent.relative_to(ROOT).as_posix()] += path.suffix in {".py", ".js", ".css"}
    assert {folder: count for folder, count in counts.items() if count > _MOST_FILES} == {}


def test_nothing_is_excused_from_the_formatter() -> None:
    marks = ("# fmt: " + "skip", "# fmt: " + "off")
    sources = {
        path: path.read_text(encoding="utf-8")
        for folder in (*_FOLDERS, "tests")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert [str(path.relative_to(ROOT)) for path, text in sources.items() if any(mark in text for mark in marks)] == []


_VAGUE = re.compile(r"_?(?:one|found|own|said|told|asked|held|taught|shown|kept)", re.IGNORECASE)


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names of functions, of classes and of values of the module."""
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def test_names_say_what_they_name() -> None:
    names = [(name, path) for path, tree in parsed(*_FOLDERS).items() for name in _defined(tree)]
    assert len(names) > 5000
    assert [name for name in names if _VAGUE.fullmatch(name[0])] == []
