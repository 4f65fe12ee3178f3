"""Every control of every page is in the URL, and the URL opens the page as it was left."""

from collections.abc import Callable, Iterator
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
from streamlit.util import calc_hash

from app.jobs import Registry
from tests.conftest import ROOT

_TIMEOUT = 300
_PAGES = sorted(path.stem for path in (ROOT / "app" / "views").glob("[a-z]*.py"))
# What a page needs to show all that it has.
_PARAMS = {"token": {"token": "다."}, "compare": {"with": "bytes.words"}, "explore": {"with": "bytes.words"}}
_KINDS = (ButtonGroup, Checkbox, Multiselect, NumberInput, Selectbox, SelectSlider, Slider, TextArea, TextInput, Toggle)
# Choose a part of a page; each part is looked at.
_VIEWS = ("choice.view", "choice.tab")
# Not in the URL: the visitor's own texts and secrets, which go nowhere without being asked.
_PRIVATE = {"train.pasted", "teacher.password", "own_runs.name"}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    """A registry for all pages: what one has trained, another finds."""
    own = Registry(tmp_path_factory.mktemp("models"))
    yield own
    own.close()


def _open(page: str, params: dict[str, Any]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=_TIMEOUT)
    app.query_params.update({"lang": "en", **params})
    # `switch_page` needs a run of the first page, which would take the parameters as its own; a link has none.
    app._page_hash = app._finished_page_script_hash = calc_hash("" if page == "explore" else page)
    return app.run()


def _controls(app: AppTest) -> dict[str, Any]:
    return {
        node.key: node
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
    options = control.options
    if isinstance(value, list):
        left = [option for option in options if option not in value]
        return [*value[1:], *left[:1]] if left or value else None
    left = [option for option in options if option != value]
    return left[-1] if left else None


def _value(control: Any) -> Any:
    """What a control says; where any of several may be chosen, in no order."""
    return sorted(control.value) if isinstance(control.value, list) else control.value


def _params(app: AppTest) -> dict[str, Any]:
    return {name: values for name, values in app.query_params.items() if name != "lang"}


def _check(page: str, params: dict[str, Any], registry: Registry, wait_until: Callable[..., None]) -> list[str]:
    app = _open(page, params)
    wait_until(lambda: not registry._running and not registry._queue, _TIMEOUT)
    app.run()
    assert not app.exception
    missing = []
    for key in _controls(app):
        if key in ("lang", "language_switch", "model", *_VIEWS):
            continue
        app = _open(page, params)
        control = _controls(app).get(key)
        value = None if control is None else _another(control)
        # Streamlit itself keeps the value of a bound control in the URL: the browser does it, the simulator does not.
        if control is None or value is None or control.proto.query_param_key:
            continue
        before = _params(app)
        control.set_value(value)
        app.run()
        wait_until(lambda: not registry._running and not registry._queue, _TIMEOUT)
        app.run()
        assert not app.exception, f"{key}: {app.exception}"
        after = _params(app)
        if after == before:
            missing.append(f"{key}: not in the URL")
            continue
        changed = _controls(app).get(key)
        again = _controls(_open(page, after)).get(key)
        if changed is not None and (again is None or _value(again) != _value(changed)):
            missing.append(f"{key}: {changed.value!r} came back as {again and again.value!r} from {after}")
    return missing


@pytest.mark.parametrize("page", _PAGES)
def test_every_control_is_in_the_url(
    page: str, registry: Registry, monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., None]
) -> None:
    monkeypatch.setattr("app.jobs._server_registry", lambda: registry)
    params = _PARAMS.get(page, {})
    first = _open(page, params)
    view_of = next((key for key in _VIEWS if key in _controls(first)), None)
    missing = _check(page, params, registry, wait_until)
    for view in _controls(first)[view_of].options[1:] if view_of else ():
        app = _open(page, params)
        _controls(app)[view_of].set_value(view)
        app.run()
        missing += _check(page, _params(app), registry, wait_until)
    assert missing == [], "\n".join(missing)
