"""Every function and method of the package refuses values of other types in one sentence, before it does anything."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import thundertok as tt
from engine import load_tokenizer
from engine.config import TrainingSettings
from engine.errors import WrongTypeError
from thundertok.models import LoadedModel

_LINES = ["가나 다라", "가나 마바", "가나 다라 마바"]


def _public() -> Iterator[tuple[str, Callable[..., object]]]:
    yield from ((name, getattr(tt, name)) for name in tt.__all__ if name != "InputError")
    for module in pkgutil.iter_modules(tt.__path__, "thundertok."):
        for owner in vars(importlib.import_module(module.name)).values():
            if isinstance(owner, type) and owner.__module__ == module.name:
                yield from (
                    (f"{owner.__name__}.{name}", method)
                    for name, method in vars(owner).items()
                    if inspect.isfunction(method) and not name.startswith("_")
                )


@pytest.mark.parametrize(("name", "function"), list(_public()))
def test_every_function_and_method_looks_at_the_types_of_its_arguments(
    name: str, function: Callable[..., object]
) -> None:
    parameters = inspect.signature(function).parameters
    needed = [
        p for p in parameters if p == "self" or (parameters[p].default is inspect.Parameter.empty and p != "settings")
    ]
    for parameter in parameters.values():
        if parameter.name in ("self", "settings") or "Sequence[str | pathlib.Path]" in str(parameter.annotation):
            continue
        given = dict.fromkeys([*needed, parameter.name], object())
        with pytest.raises(WrongTypeError, match=f"^{function.__name__} takes .*, not object; "):
            function(**given)


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return tt.train(_LINES, vocab_size=260)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda model: model.encode(["가나", "다라"]),
            r"one str as text, not list of str; .*\[encode\(x\) for x in text\]",
        ),
        (lambda model: model.encode(pd.Series(["가나"])), "one str as text, not Series of str"),
        (lambda model: model.encode(b"ab"), "str as text, not bytes"),
        (lambda model: model.decode("12"), r"Sequence\[int\] as ids, not str"),
        (lambda model: model.decode(12), r"Sequence\[int\] as ids, not int"),
        (lambda model: model.decode([1, "2"]), "not list of int, str"),
        (lambda model: model.decode(np.array([[1]])), "not ndarray"),
        (lambda model: model.lattice("가나", "1"), r"int \| None as number, not str"),
        (lambda model: model.lattice("가나", add=[("가", "나")]), r"tuple\[str, float\]\] as add, not list of tuple"),
        (lambda model: model.rounds[0].lattice(3), "str as text, not int"),
        (lambda model: model.lattice("가나").nbest(2.5), "int as k, not float"),
        (lambda _: tt.compare([None], _LINES), "as models, not list of NoneType"),
        (lambda model: tt.compare(model, 3), "a corpus is a file"),
        (lambda _: tt.train(_LINES, vocab_size="260"), "int as vocab_size, not str"),
        (lambda _: tt.train(_LINES, 260, special_tokens="<a>"), "as special_tokens, not str"),
        (lambda _: tt.train(_LINES, 260, sub_iterations=True), "int as sub_iterations, not bool"),
    ],
)
def test_a_wrong_type_is_named_with_what_is_taken(
    call: Callable[[LoadedModel], object], message: str, model: LoadedModel
) -> None:
    with pytest.raises(tt.InputError, match=message) as caught:
        call(model)
    assert isinstance(caught.value, TypeError)


def test_what_is_like_the_type_is_taken(model: LoadedModel) -> None:
    ids = model.encode(np.str_("가나")).ids
    assert model.decode(np.array(ids)) == model.decode(iter(ids)) == model.decode(pd.Series(ids)) == "가나"
    assert len(model.lattice("가나", add=[["나", -1]]).nbest(np.int64(2))) == 2
    assert len(tt.fertility((one for one in [model, model.tokenizer, load_tokenizer("public:gpt2")]), _LINES)) == 3


def test_numbers_of_numpy_are_settings_that_can_be_saved(tmp_path: object) -> None:
    numbers = {"vocab_size": 258, "sub_iterations": 2, "shrink": 0.25, "partial_characters": True}
    settings = TrainingSettings(
        **{name: np.array([value])[0] for name, value in numbers.items()}, special_tokens=["<a>"]
    )
    assert settings == TrainingSettings(**numbers, special_tokens=("<a>",))
    assert {type(value) for value in dataclasses.astuple(settings)} == {str, int, float, bool, tuple}
    path = f"{tmp_path}/a.tok"
    tt.train(_LINES, np.int64(258), min_count=np.int32(1)).save(path)
    assert tt.load(path).vocab_size == 258
