"""The table of formats: what a new one must have."""

import inspect
import random
import re
import tomllib
from importlib import import_module

import pytest

from app.texts.catalogue import catalogue
from engine.interop.format import Format, FormatFunctions
from engine.interop.formats import FORMATS, TARGETS
from tests.conftest import ROOT
from tests.engine.test_any_tokenizer import KINDS, TRAINED, content
from tests.hostile_models import KINDS as HOSTILE
from tests.hostile_models import hostile_file

# The app has a table of its own.
_NOT_IN_THE_APP = {"tsv"}


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: f"{one.name}{one.ending}")
def test_the_module_of_a_format_has_its_functions(one: Format) -> None:
    wanted = {"suits", "write", "encoders" if one.library else "reread"} | ({"read"} if one.recognise else set())
    module = import_module(f"engine.interop.{one.module}")
    assert wanted - set(vars(module)) == set()
    for name in wanted:
        expected = inspect.signature(getattr(FormatFunctions, name))
        given = inspect.signature(getattr(module, name))
        assert list(given.parameters) == list(expected.parameters)[1:], name
        assert given.return_annotation == expected.return_annotation, name


def test_every_format_has_its_texts() -> None:
    labels = {key.removeprefix("export.to.") for key in catalogue() if key.startswith("export.to.")}
    assert labels == {*TARGETS} - _NOT_IN_THE_APP


def test_the_documentation_has_every_target() -> None:
    text = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    table = text.partition("| `export --to` |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)) == {*TARGETS}


def test_every_format_is_tried() -> None:
    """Of each name some kind of tokenizer is exported, checked by the library (`test_export`)."""
    assert {target for kind in KINDS.values() for target in kind.targets} == {*TARGETS} - _NOT_IN_THE_APP


def test_every_library_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = " ".join(project["optional-dependencies"]["export"])
    assert [one.library for one in FORMATS if one.library not in wanted] == []


def _recognised(data: bytes) -> Format | None:
    return next((one for one in FORMATS if one.recognise is not None and one.recognise(data, "")), None)


# `.vocab` is recognised to be refused.
_READ = {one for one in FORMATS if one.recognise is not None and one.ending != ".vocab"}


def test_every_format_that_is_read_is_tried() -> None:
    """Every command with a file of it (`test_any_tokenizer.py`), and hostile files (`hostile_models.py`)."""
    assert _READ - {_recognised(content(kind)) for kind in KINDS if kind not in TRAINED} == set()
    assert _READ - {_recognised(hostile_file(kind, random.Random(1), 0)) for kind in HOSTILE} == set()


@pytest.mark.parametrize("key", ["error.import.unknown", "error.import.empty", "set.file_help"])
def test_the_texts_that_list_the_formats_list_all(key: str) -> None:
    said = catalogue()[key]["en"]
    assert [one.about for one in _READ if one.about.split()[0] not in said] == []
