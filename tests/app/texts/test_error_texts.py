"""Every error that a visitor can cause reads well in both languages.

The English sentence stands where the error is raised, the Korean one in assets/i18n/error.toml under the error's code.
"""

import ast
import json
import string
from functools import cache
from typing import NamedTuple

import numpy as np

from app.server.store.sqlite.database import REASONS
from app.texts.catalogue import catalogue, fill
from app.texts.error_texts import error_text
from engine.errors import InputError
from tests.conftest import ROOT

_ERRORS = {"InputError", "ModelFileError", "LibraryError", "UnknownIdError"}
# Functions that raise for their callers: the prefix of the codes, and where the name and the sentence stand.
_RAISERS = {"fail": ("inconsistent", 2, 1), "_refuse": ("refused", 1, 0), "demand": ("model_file", 2, 1)}

# Errors without a code, and why no visitor of a page meets them.
_NOT_ON_PAGES = {
    "engine/boundaries/transformers_lm.py": "only the command line loads language models of transformers",
    "engine/commands/lattice.py": "an option of the command line",
    "engine/commands/segment.py": "options of the command line",
    "engine/commands/tokens.py": "an option of the command line",
    "engine/corpus/reading/read.py": "--column is of the command line; pages let the visitor choose a column",
    "app/components/shared/component.py": "what pages hand to components, never what visitors do",
}


class _Raised(NamedTuple):
    place: str
    code: str
    values: set[str]
    text: str  # empty where it is put together elsewhere


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@cache
def _all_raised() -> list[_Raised]:
    found = []
    for path in sorted(path for folder in ("engine", "app") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
            given = {word.arg or "": word.value for word in node.keywords}
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            if called in _RAISERS and len(node.args) > 1:
                prefix, name, text = _RAISERS[called]
                values = set(given) | ({"place"} if called == "fail" else set())
                found.append(_Raised(place, f"{prefix}.{_literal(node.args[name])}", values, _literal(node.args[text])))
            elif "code" in given or called in _ERRORS:
                code = given.pop("code", ast.Constant(""))
                # One whose code is computed is a raiser, or has its sentences in a table.
                if isinstance(code, ast.Constant):
                    found.append(_Raised(place, str(code.value), set(given), _literal(node.args[0])))
                    assert not (code.value and isinstance(node.args[0], ast.JoinedStr)), f"{place}: filled twice"
    return found


@cache
def _all_coded() -> list[_Raised]:
    return [raised for raised in _all_raised() if raised.code]


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def _korean(raised: _Raised) -> str:
    return catalogue()[f"error.{raised.code}"]["ko"]


def test_what_a_visitor_can_cause_has_a_code() -> None:
    without = {raised.place for raised in _all_raised() if not raised.code}
    assert {place for place in without if place.partition(":")[0] not in _NOT_ON_PAGES} == set()
    assert {place.partition(":")[0] for place in without} == set(_NOT_ON_PAGES)


def test_every_code_has_a_korean_text_and_every_text_a_code() -> None:
    codes = {raised.code for raised in _all_coded()} | {code for code, _ in REASONS.values()}
    texts = {key for key in catalogue() if key.startswith("error.") and not key.startswith("error.what.")}
    assert texts == {f"error.{code}" for code in codes}
    assert all("ko" in texts and "en" not in texts for key, texts in catalogue().items() if key.startswith("error."))


def test_both_languages_quote_the_same_values() -> None:
    known = [raised for raised in _all_coded() if "" not in raised.values]  # of the others, some come as **values
    assert len(known) > 150
    assert [raised for raised in known if _placeholders(_korean(raised)) != raised.values] == []
    # A sentence that is put together elsewhere is not looked at; its place is no value of its own.
    said = [raised for raised in known if raised.text]
    assert [one for one in said if _placeholders(one.text) | ({"place"} & one.values) != one.values] == []


def test_korean_texts_can_be_filled_with_numbers() -> None:
    filled = [fill(text, dict.fromkeys(_placeholders(text), 7)) for text in map(_korean, _all_coded())]
    assert [text for text in filled if "{" in text.replace('{"text": "..."}', "")] == []


def test_every_phrase_is_one_of_the_engine() -> None:
    literals = {
        node.value
        for path in (ROOT / "engine").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    phrases = {key.removeprefix("error.what.") for key in catalogue() if key.startswith("error.what.")}
    assert phrases - literals == set()


def test_an_error_reads_the_same_after_a_pipe() -> None:
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


def test_causes_and_phrases_are_translated_with_the_error() -> None:
    cause = InputError("the file is {what}", code="file.kind", what="a 7z archive; unpack it first")
    error = InputError("{path}: {cause}", code="file.named", path="글.7z", cause=cause)
    assert str(error) == "글.7z: the file is a 7z archive; unpack it first"
    assert error_text(error, "ko") == "글.7z: 읽을 수 없는 파일입니다. 7z 파일입니다. 먼저 압축을 풀어 주십시오."
