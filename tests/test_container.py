"""Follows the cheap steps of the Dockerfile and checks the form of the rest."""

import re
import sys
from pathlib import Path

import pytest

from tests.container import Container, steps

# Packages and kernels: minutes.
_EXPENSIVE = {
    r"python install\.py server && pip uninstall --yes uv",
    r"python -m engine warmup && python -m app\.prepare",
}


@pytest.mark.slow
def test_the_steps_of_the_dockerfile_can_be_followed(tmp_path: Path) -> None:
    left_out = set()

    def is_cheap(command: str) -> bool:
        reasons = {pattern for pattern in _EXPENSIVE if re.search(pattern, re.sub(r"\s+", " ", command))}
        left_out.update(reasons)
        return not reasons

    container = Container(tmp_path, is_cheap, "--without-pip")
    container.build()
    assert left_out == _EXPENSIVE
    assert {path.name for path in container.work.iterdir()} >= {"app", "assets", "engine", "install.py"}
    tag = f"cpython-{sys.version_info.major}{sys.version_info.minor}"
    assert (container.work / "app" / "__pycache__" / f"__main__.{tag}.pyc").exists()
    for variable in ("XDG_CACHE_HOME", "THUNDER_TOK_LIBRARY"):
        folder = Path(container.environment[variable])
        assert folder.is_dir() and folder.is_relative_to(tmp_path)
    assert container.command[:2] == ["sh", "-c"] and "--server.port=$PORT" in container.command[2]

    # Any server that answers the health check can be started and is ended.
    (tmp_path / "ready").touch()
    built = container.files()
    container.command = ["sh", "-c", f"exec python -m http.server $PORT --bind 127.0.0.1 --directory {tmp_path}"]
    assert container.start() > 0
    assert container.files() == built


def test_the_image_has_a_python_that_the_packages_support() -> None:
    images = [step.rest for step in steps() if step.word == "FROM"]
    assert len(images) == 1 and re.fullmatch(r"python:3\.1[123]-slim", images[0])
