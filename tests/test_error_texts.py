"""Every code of an error that the program raises has a sentence in the catalogue, with the values that come along."""

import ast
import string

from app.catalogue import LANGUAGES, catalogue
from engine.library.database import REASONS
from tests.conftest import ROOT

_ERRORS = {"InputError", "ModelFileError", "LibraryError", "UnknownIdError"}


def _raised() -> dict[str, set[str]]:
    """Names of the values by code."""
    found: dict[str, set[str]] = {code: set() for code, _ in REASONS.values()}
    for path in sorted(path for folder in ("engine", "app") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ERRORS:
                given = {word.arg or "": word.value for word in node.keywords}
                code = given.pop("code", None)
                if isinstance(code, ast.Constant):
                    found[str(code.value)] = set(given)
    return found


def test_every_code_has_both_languages_and_its_values() -> None:
    raised = _raised()
    assert {f"error.{code}" for code in raised} == {key for key in catalogue() if key.startswith("error.")}
    for code, values in raised.items():
        for language in LANGUAGES:
            text = catalogue()[f"error.{code}"][language]
            assert {name for _, name, _, _ in string.Formatter().parse(text) if name} == values
