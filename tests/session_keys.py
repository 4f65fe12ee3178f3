"""Keys of the session state that stand as literals in more than one file of the app, read off its source."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# Calls that take a key as a positional argument: its place.
_TAKERS = {"UrlValue": 1, "url_text": 1, "adopt": 1, "keep": 0}
_METHODS = ("get", "pop", "setdefault", "update")


class Key(NamedTuple):
    """A key as the source spells it: of an f-string what comes before the first value (`is_prefix`)."""

    text: str
    is_prefix: bool


class Keys(NamedTuple):
    """Keys of one file: all that it names, and those of them that are more than the name of a button or a chart."""

    named: set[Key]
    used: set[Key]


def repeated_keys(sources: Mapping[str, ast.Module]) -> list[str]:
    """Keys that two of the sources spell out, with the names of these. Parsed sources by name."""
    files = {name: _keys(tree) for name, tree in sources.items()}
    found = defaultdict(set)
    for one, keys in files.items():
        for other, others in files.items():
            if one == other:
                continue
            for key in keys.named & others.named:
                found[key.text] |= {one, other}
            # A key that another file makes: "choice.sort" of f"choice.{param}". Files of one page share its name.
            for key in keys.used if not _are_of_one_page(one, other) else ():
                for made in others.used:
                    if made.is_prefix and key != made and key.text.startswith(made.text):
                        found[key.text] |= {one, other}
    return [f"{key}: {', '.join(sorted(names))}" for key, names in sorted(found.items())]


def _are_of_one_page(one: str, other: str) -> bool:
    folder = Path(one).parent
    return folder == Path(other).parent and not {"views", "classroom"}.isdisjoint(folder.parts)


def _keys(tree: ast.Module) -> Keys:
    names = _assigned(tree)
    named, used = set(), set()
    for node in ast.walk(tree):
        for is_used, place in _places(node):
            keys = names[place.id] if isinstance(place, ast.Name) else {_key(place)}
            found = {key for key in keys if key is not None}
            named |= found
            used |= found if is_used else set()
    return Keys(named, used)


def _assigned(tree: ast.Module) -> dict[str, set[Key | None]]:
    """Every text that a name is given anywhere in the file: `A = "a"`, and `A, B = "a", "b"`, too."""
    names: dict[str, set[Key | None]] = defaultdict(set)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    names[name.id].add(_key(value))
    return names


def _places(node: ast.AST) -> Iterator[tuple[bool, ast.expr]]:
    """Expressions in `node` that are keys, and whether they are used here: to read or set the state, or in the URL."""
    if isinstance(node, ast.Subscript) and _is_state(node.value):
        yield True, node.slice
    elif isinstance(node, ast.Compare) and any(map(_is_state, node.comparators)):
        yield True, node.left
    elif isinstance(node, ast.FunctionDef) and node.name.endswith("_key"):
        yield from ((True, one.value) for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)
    elif isinstance(node, ast.Call):
        yield from ((False, keyword.value) for keyword in node.keywords if keyword.arg == "key")
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _TAKERS and len(node.args) > _TAKERS[name]:
            yield True, node.args[_TAKERS[name]]
        if isinstance(function, ast.Attribute) and name in _METHODS and _is_state(function.value) and node.args:
            first = node.args[0]
            yield from ((True, key) for key in (first.keys if isinstance(first, ast.Dict) else [first]) if key)


def _is_state(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "session_state"


def _key(node: ast.expr) -> Key | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Key(node.value, False)
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if node.values else None
        return Key(str(first.value), True) if isinstance(first, ast.Constant) else None
    return None
