"""Every control of every page is in the URL, and the URL opens the page as it was left."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import (
    ButtonGroup,
    Checkbox,
    Multiselect,
    NumberInput,
    Selectbox,
    SelectSlider,
    Slider,
    TextArea,
    TextInput,
    Toggle,
)

from app.server.background import begun
from app.server.work.jobs import registry
from tests.pages import PAGES, agree, open_page, refresh, when_made

# Each view of them trains models, or has many controls.
_SLOW = (
    "boundaries",
    "compare",
    "explore",
    "cost",
    "growth",
    "lattice",
    "learn_failures",
    "learn_tradeoff",
    "morphology",
    "scores",
    "token",
)
# What a page needs to show all that it has, with little to train.
_PARAMS = {
    "token": {"find": "다.", "morphemes": "true", "by_kind": "true"},
    "compare": {"with": "bytes.words"},
    "explore": {"with": "bytes.words", "morphemes": "true"},
    "growth": {"languages": "ko.en", "mixsize": "1000"},
    "lattice": {"morphemes": "true"},
    "scores": {"by_kind": "true"},
}
_KINDS = (ButtonGroup, Checkbox, Multiselect, NumberInput, Selectbox, SelectSlider, Slider, TextArea, TextInput, Toggle)
# Choose a part of a page; each part is looked at.
_VIEWS = ("choice.view", "choice.tab")
# Not in the URL: texts that are about to be handed over, which the app promises to keep in the session, secrets, the
# projector mode, which the browser remembers, and a name that the simulator cannot type.
_PRIVATE = {
    "subcorpus.names",
    "projector",
    "corpus.pasted",
    "teacher.password",
    "own_runs.name",
    "corpus.encoding",
    "corpus.folder",
    "corpus.pattern",
}
# What a list of ties or examples adds to its key to be a new one for each choice.
_RENEWED = re.compile(r"^(learn_bpe\.tie\.\d+|.*(?:example|preset))\..*")


def _refresh(app: AppTest) -> None:
    if not registry().is_idle:
        refresh(app)
    if not all(future.done() for future in begun()):
        when_made(app)
    assert not app.exception


def _open(page: str, params: dict[str, Any]) -> AppTest:
    return agree(open_page(page, lang="en", **params))


def _controls(app: AppTest) -> dict[str, Any]:
    return {
        _RENEWED.sub(r"\1", node.key): node
        for node in app._tree
        if isinstance(node, _KINDS) and node.key and not node.disabled and node.key not in _PRIVATE
    }


def _another(control: Any) -> Any:
    """A value that a visitor may change the control to; None where there is none."""
    value = control.value
    if isinstance(control, Checkbox | Toggle):
        return not value
    if isinstance(control, TextInput | TextArea):
        return f"{value or ''}가"
    if isinstance(control, NumberInput):
        if value is None:
            return control.min if control.min is not None else 1.0
        step = control.step or 1
        return value - step if control.max is not None and value + step > control.max else value + step
    if isinstance(control, Slider):
        step = control.step or 1
        if isinstance(value, tuple | list):
            return (control.min + step, control.max) if control.max - control.min > step else None
        return control.min + step if value != control.min + step else control.min
    if isinstance(control, SelectSlider):
        return next((option for option in control.options if option != str(value)), None)
    # The simulator takes the text of an option for the option, which one with an escaped sign is not.
    if isinstance(control, ButtonGroup):
        current = list(control.formatted_values)
    elif isinstance(control, Multiselect):
        current = list(control.values)
    else:
        current = [control.options[control.index]]
    left = [option for option in control.options if option not in current and "\\" not in option]
    if isinstance(value, list):
        return [*current[1:], *left[:1]]
    return left[-1] if left else None


def _value(control: Any) -> Any:
    """What a control says; where any of several may be chosen, in no order."""
    return sorted(control.value) if isinstance(control.value, list) else control.value


def _is_bound_and_on(control: Any) -> bool:
    """Whether the browser has written this switch into the URL, which the simulator does not."""
    return isinstance(control, Toggle) and control.value and bool(control.proto.query_param_key)


def _params(app: AppTest) -> dict[str, Any]:
    return {name: values for name, values in app.query_params.items() if name != "lang"}


def _check(page: str, params: dict[str, Any]) -> list[str]:
    """Change one control after the other, then open the link; what was not as it should be."""
    app = _open(page, params)
    _refresh(app)
    missing = []
    done = {"lang", "language_switch", "model", *_VIEWS}
    while left := [key for key in _controls(app) if key not in done]:
        control = _controls(app)[left[0]]
        done.add(left[0])
        value = _another(control)
        # Streamlit itself keeps the value of a bound control in the URL: the browser does it, the simulator does not.
        if value is None or control.proto.query_param_key:
            continue
        before = _params(app)
        control.set_value(value)
        app.run()
        _refresh(app)
        if _params(app) == before:
            missing.append(f"{left[0]}: not in the URL")
    on = {control.proto.query_param_key: "true" for control in _controls(app).values() if _is_bound_and_on(control)}
    again = _open(page, _params(app) | on)
    _refresh(again)
    opened = _controls(again)
    for key, control in _controls(app).items():
        if key in done and not control.proto.query_param_key:
            found = _value(opened[key]) if key in opened else "nothing"
            if found != _value(control):
                missing.append(f"{key}: {_value(control)!r} came back as {found!r} from {_params(app)}")
    return missing


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in _SLOW else page for page in PAGES]
)
@pytest.mark.usefixtures("shared_registry")
def test_every_control_is_in_the_url(page: str) -> None:
    params = _PARAMS.get(page, {})
    first = _open(page, params)
    view_of = next((key for key in _VIEWS if key in _controls(first)), None)
    missing = _check(page, params)
    for view in _controls(first)[view_of].options[1:] if view_of else ():
        app = _open(page, params)
        _controls(app)[view_of].set_value(view)
        app.run()
        missing += _check(page, _params(app))
    assert missing == [], "\n".join(missing)


def test_the_lists_of_pages_name_pages() -> None:
    assert {*_SLOW, *_PARAMS} - {*PAGES} == set()
