"""The package works beside others, on the oldest and the newest Python that it names; `make release-check` has all."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.wheel.build import build_wheel
from tests.wheel.smoke import VERSIONS, Installation, Unreachable, pythons


def test_the_versions_are_those_that_the_project_names() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}" in readme
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built once for all versions."""
    return build_wheel(tmp_path_factory.mktemp("built"))


@pytest.mark.keyed("app", "assets", "engine", "pyproject.toml", "tests/wheel", "thundertok")
@pytest.mark.slow(seconds=150)
@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_the_package_works_with_and_without_extras(version: str, wheel: Path, tmp_path: Path) -> None:
    if version not in pythons():
        pytest.skip(f"there is no Python {version} here")
    pytest.importorskip("uv")
    # The other tests compile the kernels with this Python, this one those of a training with the newest.
    plain = {"NUMBA_DISABLE_JIT": "1"}
    try:
        installation = Installation(tmp_path, pythons()[version])
        installation.install(wheel)
        installation.check("base", **(plain if version != VERSIONS[-1] else {}))
        installation.install(wheel, "[public,export]")
    except Unreachable:
        pytest.skip("no packages can be installed here")
    installation.check("extras", **plain)
