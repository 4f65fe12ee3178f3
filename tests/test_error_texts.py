"""Every code of an error has a Korean sentence that quotes the same values; pages show it in the visitor's language."""

import ast
import json
import string

import numpy as np

from app.catalogue import catalogue
from app.error_texts import error_text
from engine.errors import InputError
from engine.library.database import REASONS
from tests.conftest import ROOT

_ERRORS = {"InputError", "ModelFileError", "LibraryError", "UnknownIdError"}


def _raised() -> list[tuple[str, ast.Call]]:
    """Where an error is made, and how."""
    return [
        (f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node)
        for folder in ("engine", "app")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ERRORS
    ]


def _code(call: ast.Call) -> str:
    code = {word.arg: word.value for word in call.keywords}.get("code")
    return str(code.value) if isinstance(code, ast.Constant) else ""


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_code_has_a_korean_text_and_every_text_a_code() -> None:
    codes = {_code(call) for _, call in _raised()} - {""} | {code for code, _ in REASONS.values()}
    texts = {key for key in catalogue() if key.startswith("error.") and not key.startswith("error.what.")}
    assert texts == {f"error.{code}" for code in codes}
    assert all(set(texts) == {"ko"} for key, texts in catalogue().items() if key.startswith("error."))


def test_both_languages_quote_the_same_values() -> None:
    for place, call in _raised():
        if code := _code(call):
            given = {word.arg for word in call.keywords} - {"code"}
            assert _placeholders(catalogue()[f"error.{code}"]["ko"]) == given, place
            if isinstance(call.args[0], ast.Constant):  # else a text with a name, which other places share
                assert _placeholders(str(call.args[0].value)) == given, place


def test_an_error_reads_the_same_behind_a_pipe() -> None:
    inner = InputError("a {thing} of {size:,} bytes", code="test.inner", thing="{file}", size=np.int64(5000))
    error = InputError("not used: {cause}", code="test.outer", cause=inner)
    copy = InputError.from_fields(json.loads(json.dumps(error.fields())))
    assert str(copy) == str(error) == "not used: a {file} of 5,000 bytes"
    assert copy.fields() == error.fields()


def test_a_page_speaks_its_visitors_language() -> None:
    error = InputError("the export was stopped after {seconds} s", code="export.time", seconds=300)
    assert error_text(error, "en") == "The export was stopped after 300 s"
    assert "300초" in error_text(error, "ko")
    assert error_text(InputError("tokenizer.json is odd"), "ko") == "tokenizer.json is odd"
