"""Every error that a user can cause has a text in both languages: in assets/i18n/error.toml, under its code."""

import ast
import dataclasses
import json
import pickle
import string
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from app.server.store.postgresql import database as postgresql
from app.server.store.sqlite import database as sqlite
from app.texts.catalogue import LANGUAGES, catalogue, error_text, fill
from engine.config import TrainingSettings
from engine.corpus.reading.unpack import SizeError
from engine.errors import InputError
from engine.merge_settings import MergeSettings
from tests.app.sources import nodes, parsed

# Functions, beside the errors themselves, that are given a code: where among their arguments it is.
_GIVEN_CODES = {"__init__": 0, "kind": 0, "message": 0}
# Values that an error takes from its other arguments.
_GIVEN_VALUES = {"QueryError": {"at"}}
# Functions whose first argument is the phrase that their error quotes.
_GIVEN_PHRASES = ("_one_of", "_between", "_damaged")


class _Raised(NamedTuple):
    place: str
    code: str
    values: frozenset[str]  # with "" where some come as **values


@cache
def _calls() -> list[tuple[str, str, ast.Call]]:
    """Place, name of what is called, and the call."""
    return [
        (f"{path}:{node.lineno}", _name(node.func), node)
        for path, tree in parsed("engine", "app", "thundertok").items()
        for node in nodes(tree)
        if isinstance(node, ast.Call)
    ]


@cache
def _errors() -> set[str]:
    """Names of InputError and of what derives from it, if its first argument is a code."""
    trees = parsed("engine", "app", "thundertok").values()
    classes = [node for tree in trees for node in nodes(tree) if isinstance(node, ast.ClassDef)]
    found = {"InputError"}
    while more := {node.name for node in classes if any(_name(base) in found for base in node.bases)} - found:
        found |= more
    return found - {"SizeError", "LimitError"}


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@cache
def _all_raised() -> list[_Raised]:
    found = []
    for place, called, call in _calls():
        at = 0 if called in _errors() else _GIVEN_CODES.get(called, len(call.args))
        code = _literal(call.args[at]) if at < len(call.args) else ""
        if code:
            found.append(_Raised(place, code, _values(called, call)))
    return found


def _values(called: str, call: ast.Call) -> frozenset[str]:
    return frozenset(word.arg or "" for word in call.keywords) | _GIVEN_VALUES.get(called, set())


@cache
def _texts() -> dict[str, dict[str, str]]:
    """Texts by code and language."""
    return {key.removeprefix("error."): dict(texts) for key, texts in catalogue().items() if key.startswith("error.")}


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_code_has_a_text_and_every_text_a_code() -> None:
    codes = {raised.code for raised in _all_raised()} | set(sqlite.REASONS.values()) | set(postgresql.REASONS.values())
    assert len(codes) > 250
    assert {code for code in _texts() if not code.startswith("what.")} == codes


def test_a_code_is_a_literal_where_an_error_is_raised() -> None:
    computed = [
        place.partition(":")[0]
        for place, called, call in _calls()
        if called in _errors() and not (call.args and _literal(call.args[0]))
    ]
    stores = [f"app/server/store/{name}/database.py" for name in ("postgresql", "sqlite")]
    assert sorted(computed) == [*stores, "engine/errors.py"]


def test_every_text_is_in_both_languages_and_quotes_the_same_values() -> None:
    assert [code for code, texts in _texts().items() if not {"ko", "en"} <= set(texts) <= set(LANGUAGES)] == []
    quoted = {code: set(map(frozenset, map(_placeholders, texts.values()))) for code, texts in _texts().items()}
    assert [code for code, placeholders in quoted.items() if len(placeholders) > 1] == []
    assert [code for code, texts in _texts().items() if not all(texts.values())] == []


def test_an_error_is_raised_with_the_values_that_its_text_quotes() -> None:
    known = [raised for raised in _all_raised() if "" not in raised.values]
    assert len(known) > 300
    assert [raised for raised in known if raised.values != _placeholders(_texts()[raised.code]["en"])] == []
    some = [raised for raised in _all_raised() if "" in raised.values]
    assert [one for one in some if not one.values - {""} <= _placeholders(_texts()[one.code]["en"])] == []


def test_texts_can_be_filled_with_numbers() -> None:
    texts = [text for texts in _texts().values() for text in texts.values()]
    filled = [fill(text, dict.fromkeys(_placeholders(text), 7)) for text in texts]
    assert [text for text in filled if "{" in text.replace('{"text": "..."}', "")] == []


def test_every_phrase_is_one_of_the_engine_and_has_a_text() -> None:
    phrases = {code.removeprefix("what.") for code in _texts() if code.startswith("what.")}
    literals = {
        _literal(node)
        for path, tree in parsed("engine", "app", "thundertok").items()
        if path.startswith(("engine/", "thundertok/"))
        for node in nodes(tree)
        if isinstance(node, ast.Constant)
    }
    settings = {setting.name for setting in dataclasses.fields(TrainingSettings)}
    assert phrases - literals - settings == set()
    calls = [call for _, _, call in _calls()]
    quoted = {_literal(word.value) for call in calls for word in call.keywords if word.arg == "what"}
    quoted |= {_literal(call.args[0]) for call in calls if _name(call.func) in _GIVEN_PHRASES}
    assert quoted - phrases == {""}  # one that is computed


def _said_of(kind: Any, name: str, value: object) -> str:
    with pytest.raises(InputError) as caught:
        kind(**{name: value})
    return str(caught.value)


def test_an_unusable_setting_is_named_in_words() -> None:
    names = ("algorithm", "ties", "score", "mark_place", "normalization")
    said = [_said_of(MergeSettings, name, "no such") for name in names]
    said += [_said_of(TrainingSettings, name, "no such") for name in ("algorithm", "seed_vocabulary", "membership")]
    said += [_said_of(TrainingSettings, name, -1) for name in ("vocab_size", "min_count", "sub_iterations", "max_seed")]
    assert [text for text in said if "_" in text.partition("; ")[0]] == []


def test_a_code_without_a_text_is_shown_with_its_values() -> None:
    assert str(InputError("no.such", size=5, path="a")) == "no.such size=5 path=a"
    assert str(InputError("choice.unknown", what="no such", value="a", choices="b")) == (
        "unknown no such 'a'; choose one of: b"
    )


def test_an_error_reads_the_same_behind_a_pipe() -> None:
    cause = InputError("tiktoken.size", size=np.int64(5000), most=4)
    error = InputError("file.named", path="{file}", cause=cause)
    fields = json.loads(json.dumps(error.fields()))
    assert fields["message"] == str(error) == f"{{file}}: {cause}" and "5,000 bytes" in str(error)
    copy = InputError.from_fields(fields)
    assert [copy.text(language) for language in LANGUAGES] == [error.text(language) for language in LANGUAGES]
    assert copy.fields() == error.fields()


def test_an_error_can_be_copied_and_pickled_whatever_its_arguments() -> None:
    error = SizeError(5_000_000, column="text")
    for copy in (error.again(), pickle.loads(pickle.dumps(error))):
        assert type(copy) is SizeError and str(copy) == str(error) and copy.__traceback__ is None
    assert "5 MB" in str(error)


def test_a_page_speaks_its_visitors_language() -> None:
    error = InputError("export.time", seconds=300)
    assert error_text(error, "en") == "The export was stopped after 300 s; export a smaller vocabulary"
    assert "300초" in error_text(error, "ko")
    assert error_text(InputError("json.object"), "en").startswith("The file")
    assert error_text(InputError("file.named", path="글.txt", cause=error), "en").startswith("글.txt: the export")


def test_causes_and_phrases_are_translated_with_the_error() -> None:
    error = InputError("file.named", path="글.7z", cause=InputError("file.kind", what="7z"))
    assert str(error) == "글.7z: the file is a 7z archive; unpack it first"
    assert error_text(error, "ko") == "글.7z: 읽을 수 없는 파일입니다. 7z 파일입니다. 먼저 압축을 풀어 주세요."
