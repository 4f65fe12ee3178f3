"""Every parameter of the app's URLs, read off its source: a test that lists them by hand forgets the next one."""

import ast
from functools import cache

from tests.app.sources import nodes, parsed

# What takes a parameter as its first argument; the topics of Failures hand theirs on.
_TAKERS = (
    "UrlValue",
    "url_text",
    "url_choice",
    "url_choices",
    "url_list",
    "url_row",
    "url_slider",
    "url_toggle",
    "url_range",
    "url_number",
    "url_stepper",
    "render_taught",
    "answer_value",
    "Offer",
)


@cache
def url_parameters() -> tuple[str, ...]:
    """All of them, sorted; those of the frame (`lang`, `model`) too."""
    found = {"lang", "model", "check", "projector", "part", "pretokens", "graphemes", "bytes"}
    found |= {"mark", "ties", "prefix", "score"}  # of a table in learn_bpe
    for tree in parsed("app").values():
        constants = {}
        for node in tree.body:
            if isinstance(node, ast.Assign):
                constants |= _assigned(node)
        for node in nodes(tree):
            if isinstance(node, ast.Call):
                found |= _of_call(node, constants)
    return tuple(sorted(found))


def _assigned(node: ast.Assign) -> dict[str, str]:
    """`A = "a"` and `A, B = "a", "b"`."""
    (target,), value = node.targets, node.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=True))
    return {name.id: text for name, one in pairs if isinstance(name, ast.Name) and (text := _text(one, {}))}


def _of_call(node: ast.Call, constants: dict[str, str]) -> set[str]:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    found = {_text(node.args[0], constants)} if name in _TAKERS and node.args else set()
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if "bind" in keywords and "key" in keywords:
        found.add(_text(keywords["key"], constants))
    return found - {""}


def _text(node: ast.expr, constants: dict[str, str]) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return constants.get(node.id, "") if isinstance(node, ast.Name) else ""
