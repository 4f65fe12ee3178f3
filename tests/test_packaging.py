"""What carries the project elsewhere: requirements, the package, the container's recipe, the README's links."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app import VERSION
from app.__main__ import PACKAGES as APP_PACKAGES
from app.__main__ import main as start_app
from app.__main__ import server_arguments
from engine.cli import build_parser
from research.site.pictures import ADDRESSES, LANGUAGES
from tests.app.sources import nodes, parsed
from tests.wheel.build import PACKAGES, build_wheel

ROOT = Path(__file__).resolve().parent.parent
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
_BASE, _EXTRAS = _PROJECT["project"]["dependencies"], _PROJECT["project"]["optional-dependencies"]
_OF_APP = {"export", "morphology", "public"}  # the extras that the extra `app` has
# What is pinned with hashes, by its file.
_CHOSEN = {
    "requirements.txt": [*_BASE, *_EXTRAS["app"], *chain(*(_EXTRAS[key] for key in _OF_APP))],
    **{f"requirements/{key}.txt": [*_BASE, *_EXTRAS[key]] for key in ("cluster", "postgresql")},
    **{f"requirements/{key}.txt": chosen for key, chosen in _PROJECT["dependency-groups"].items()},
}
_PYTHONS = ("3.11.9", "3.12.4", "3.13.0")


def _requirements(texts: Iterable[str]) -> dict[str, Requirement]:
    """By name, without the package itself, whose extra `app` has other extras."""
    found = {canonicalize_name(one.name): one for one in map(Requirement, texts)}
    return {name: requirement for name, requirement in found.items() if name != _PROJECT["project"]["name"]}


def _pinned(name: str) -> dict[str, Requirement]:
    text = re.sub(r" \\\n *--hash=sha256:[0-9a-f]{64}", "", (ROOT / name).read_text())
    return _requirements(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _version(requirement: Requirement) -> str:
    """The one version of a pinned requirement."""
    (one,) = requirement.specifier
    assert one.operator == "==" and "*" not in one.version
    return one.version


def _is_for(requirement: Requirement, python: str) -> bool:
    environment = {"python_version": python.rpartition(".")[0], "python_full_version": python, "sys_platform": "linux"}
    return requirement.marker is None or requirement.marker.evaluate(environment)


@pytest.mark.parametrize("name", _CHOSEN)
def test_what_is_pinned_is_among_what_was_chosen(name: str) -> None:
    pinned = _pinned(name)
    for key, requirement in _requirements(_CHOSEN[name]).items():
        assert _version(pinned[key]) in requirement.specifier, f"{key}: run `make requirements`"
        for python in _PYTHONS:
            assert _is_for(pinned[key], python) == _is_for(requirement, python), key


def test_every_version_is_pinned_by_its_hashes_and_no_machine_is_named() -> None:
    for name in _CHOSEN:
        text = (ROOT / name).read_text()
        hashed = re.findall(r"^\S.* \\\n    --hash=sha256:[0-9a-f]{64}\b", text, re.MULTILINE)
        assert len(hashed) == len({_version(one) and key for key, one in _pinned(name).items()})
        assert not re.search(r"https?:|file:|(?<!-c requirements)/|--(?!hash=sha256:)", text)
    own, tools = (_pinned("requirements.txt"), _pinned("requirements/cluster.txt") | _pinned("requirements/dev.txt"))
    assert {key: own[key].specifier for key in own.keys() & tools.keys()} == {
        key: tools[key].specifier for key in own.keys() & tools.keys()
    }


def test_what_is_imported_is_required_by_name() -> None:
    chosen = _requirements([*_BASE, *chain(*_EXTRAS.values())]).keys()
    known, installed = {*PACKAGES, *sys.stdlib_module_names}, packages_distributions()
    unnamed = set()
    for tree in parsed(*PACKAGES).values():
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            else:
                continue
            # One that is not installed here (torch) is known by its own name.
            tops = {module.split(".")[0] for module in modules} - known
            unnamed |= {top for top in tops if not chosen & {canonicalize_name(n) for n in installed.get(top, [top])}}
    assert not unnamed, "name the packages in pyproject.toml"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as `pip install .` builds it."""
    pytest.importorskip("setuptools", minversion="77", reason="setuptools of requirements/dev.txt is not installed")
    return build_wheel(tmp_path_factory.mktemp("package"))


@pytest.mark.slow
def test_the_package_holds_every_file_of_the_program(wheel: Path) -> None:
    ours = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == ours


def test_the_package_says_what_it_needs_and_which_commands_it_has(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
        metadata = archive.read(info["METADATA"]).decode()
        commands = archive.read(info["entry_points.txt"]).decode()
    needs = [Requirement(text) for text in re.findall(r"^Requires-Dist: (.*)", metadata, re.MULTILINE)]
    needed = {canonicalize_name(r.name): r.specifier for r in needs if "extra ==" not in str(r.marker)}
    assert needed == {key: r.specifier for key, r in _requirements(_BASE).items()}
    # It leaves room for what is installed beside it.
    assert not any(one.operator == "==" for specifiers in needed.values() for one in specifiers)
    for extra, chosen in _EXTRAS.items():
        own = _requirements(str(r) for r in needs if f'extra == "{extra}"' in str(r.marker))
        assert own.keys() == _requirements(chosen).keys(), extra
    assert set(re.findall(r"^Provides-Extra: (.*)", metadata, re.MULTILINE)) == _EXTRAS.keys()
    assert any(r.extras == _OF_APP for r in needs if 'extra == "app"' in str(r.marker))
    assert "thunder-tok = engine.__main__:main" in commands
    assert "thunder-tok-app = app.__main__:main" in commands


@pytest.mark.slow
def test_an_installed_package_finds_its_texts_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = """if True:
        import os, app, engine, thundertok
        from app.__main__ import server_arguments
        from app.texts.corpora import builtin_corpus
        from app.texts.i18n import t
        from app.session.reference import DEFAULT_SOURCE
        assert app.__file__.startswith(os.environ["PYTHONPATH"]), app.__file__
        assert engine.__file__.startswith(os.environ["PYTHONPATH"]), engine.__file__
        assert repr(thundertok.load("shipped:thunder-tok-32k").encode("다양한 음식")) == "다양한| 음식  (2 tokens)"
        assert builtin_corpus(DEFAULT_SOURCE).lines()
        assert t("frame.title") != "frame.title"
        assert os.path.isfile(server_arguments({})[2])
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_app_says_what_to_install_when_its_packages_are_missing(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("app.__main__.find_spec", lambda name: None if name in ("streamlit", "segno") else object())
    with pytest.raises(SystemExit) as end:
        start_app()
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert 'packages that are not installed (segno, streamlit); run: pip install "thunder-tok-explorer[app]"' in said


def test_the_app_looks_for_the_packages_of_its_extra() -> None:
    installed = packages_distributions()
    found = {canonicalize_name(name) for module in APP_PACKAGES for name in installed[module]}
    assert found == _requirements(_EXTRAS["app"]).keys()


def test_the_settings_of_the_server_lie_where_streamlit_looks_for_them() -> None:
    settings = tomllib.loads((ROOT / "app" / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert not settings["browser"]["gatherUsageStats"]
    assert settings["server"]["enableStaticServing"]
    for face in settings["theme"]["fontFaces"]:
        assert (ROOT / face["url"]).is_file()


def test_the_server_refuses_uploads_above_the_limit() -> None:
    assert server_arguments({})[:2] == ["streamlit", "run"]
    for given, expected in (("7", 7), (" 7 ", 7), ("many", 50), ("-5", 50), (" ", 50)):
        assert server_arguments({"THUNDER_TOK_MAX_UPLOAD_MB": given})[-1] == f"--server.maxUploadSize={expected}"


def test_the_command_calls_itself_as_it_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/bin/thunder-tok"])
    assert build_parser().prog == "thunder-tok"
    monkeypatch.setattr(sys, "argv", ["/somewhere/engine/__main__.py"])
    assert build_parser().prog == "python -m engine"


def test_the_container_holds_what_its_recipe_copies() -> None:
    recipe = (ROOT / "Dockerfile").read_text()
    kept = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    copied = {name for names in re.findall(r"^COPY (.+) \S+$", recipe, re.MULTILINE) for name in names.split()}
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)
    assert recipe.index("USER ") < recipe.index("CMD [")


def test_the_readme_fits_a_screen() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 80


@pytest.mark.parametrize("page", ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_links_of_the_documents_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if path.startswith("pictures/"):
            continue  # made with the site
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page}: {target}"
        if heading:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings], target


def test_every_document_is_in_the_menu_of_the_site_and_linked_from_the_readme() -> None:
    readme, site = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "mkdocs.yml"))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    translated = {name for name in pages if name.endswith(".ko.md")}
    assert {name.replace(".ko.", ".") for name in translated} >= {"index.md", "tour.md"}
    assert sorted(re.findall(r": ([\w-]+\.md)$", site, re.MULTILINE)) == sorted(pages - translated)
    assert all(f"(docs/{name})" in readme for name in pages - translated - {"index.md"})


def test_every_picture_of_the_documents_is_made() -> None:
    named = {
        name for path in (ROOT / "docs").glob("*.md") for name in re.findall(r"\(pictures/([\w.]+)\)", path.read_text())
    }
    assert named == {f"{name}.{language}.png" for name in ADDRESSES for language in LANGUAGES}


def test_the_changes_begin_with_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([\d.]+)", changes, re.MULTILINE)[0] == VERSION
