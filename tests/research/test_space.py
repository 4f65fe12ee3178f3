"""The folder of a Space has what its Dockerfile copies, as a demonstration that keeps nothing."""

import re
import subprocess
from pathlib import Path

import pytest

from app.server.limits import PRESETS, with_preset
from app.server.store.opening import library_place
from research.site.space import make_space
from tests.container import steps


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    make_space(folder)
    return folder


def test_the_recipe_finds_its_files_and_starts_a_demonstration(space: Path) -> None:
    copied = [name for step in steps(space) if step.word == "COPY" for name in step.rest.split()[:-1]]
    assert copied and all((space / name).exists() for name in copied)
    settings = dict(step.rest.split("=", 1) for step in steps(space) if step.word == "ENV" and "=" in step.rest)
    assert settings["THUNDER_TOK_PRESET"] in PRESETS
    assert library_place(with_preset({"THUNDER_TOK_LIBRARY": "/data", **settings})) is None
    assert settings["THUNDER_TOK_FRAME_ANCESTORS"] == "https://huggingface.co"
    assert [step.word for step in steps(space)][-1] == "CMD"


def test_the_page_of_the_space_names_the_port_of_the_recipe(space: Path) -> None:
    head = (space / "README.md").read_text(encoding="utf-8").split("---")[1]
    (port,) = [step.rest for step in steps(space) if step.word == "EXPOSE"]
    assert f"\nsdk: docker\napp_port: {port}\n" in head
    # The hub's limits.
    assert len(re.search("short_description: (.+)", head)[1]) <= 60  # type: ignore[index]


def test_git_tracks_what_is_no_text_as_large_files(space: Path) -> None:
    subprocess.run(["git", "init", "--quiet", space], check=True)
    for path in space.rglob("*"):
        if path.is_file() and ".git" not in path.parts and b"\0" in path.read_bytes():
            said = subprocess.run(
                ["git", "check-attr", "filter", path.relative_to(space)], cwd=space, capture_output=True, text=True
            ).stdout
            assert said.endswith(": lfs\n"), path


def test_other_files_are_not_pushed_with_it(space: Path) -> None:
    with pytest.raises(FileExistsError, match="Dockerfile"):
        make_space(space)
