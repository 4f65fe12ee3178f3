"""Installing without a network: what `install.py` runs, what it repairs, and the environment that `make` gives it."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

import install
from tests.conftest import ROOT


def _wheel(folder: Path) -> str:
    """A package of two files in a wheel; returns its pinned requirement."""
    wheel = folder / "tiny_pack-1.0-py3-none-any.whl"
    info = "tiny_pack-1.0.dist-info"
    files = {
        "tiny_pack/__init__.py": "",
        "tiny_pack/data.txt": "data\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny-pack\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return f"tiny-pack==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


class _Project:
    """A folder with `install.py`, one requirement, and an environment that borrows pip and uv from this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        shutil.copy(ROOT / "install.py", folder)
        (folder / "requirements").mkdir()
        shutil.copy(ROOT / "requirements" / "uv.txt", folder / "requirements")
        (folder / "pyproject.toml").write_text('[project]\nscripts.greet = "tiny_program.greeting:greet"\n')
        (folder / "tiny_program").mkdir()
        (folder / "tiny_program" / "greeting.py").write_text("def greet():\n    print('hello')\n    return 3\n")
        (folder / "wheels").mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
        self.requirements = folder / "requirements.txt"
        self.requirements.write_text(_wheel(folder / "wheels"))
        self.package, self.note = site / "tiny_pack", folder / "venv" / ".installed"

    def install(self) -> "subprocess.CompletedProcess[str]":
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))}
        return subprocess.run(
            [self.folder / "venv" / "bin" / "python", "install.py", "app"],
            cwd=self.folder,
            env={
                **kept,
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": str(self.folder / "wheels"),
                "UV_CACHE_DIR": str(self.folder / "cache"),
            },
            capture_output=True,
            text=True,
        )


@pytest.fixture
def project(tmp_path: Path) -> _Project:
    return _Project(tmp_path)


@pytest.mark.slow
def test_what_was_interrupted_is_installed_again(project: _Project) -> None:
    done = project.install()
    assert done.returncode == 0, done.stderr
    assert (project.package / "data.txt").exists()
    if find_spec("uv"):  # the real one understands what it is told
        assert "uv did not install" not in done.stderr

    # Nothing to do: not even a look at the packages.
    (project.package / "data.txt").unlink()
    done = project.install()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (project.package / "data.txt").exists()

    # Killed between two files of a package.
    project.note.write_text("unfinished")
    assert project.install().returncode == 0
    assert (project.package / "data.txt").exists()


@pytest.mark.slow
def test_a_package_with_another_hash_is_not_installed(project: _Project) -> None:
    project.requirements.write_text(f"tiny-pack==1.0 --hash=sha256:{64 * '0'}\n")
    assert project.install().returncode != 0
    assert not project.package.exists()
    assert project.note.read_text() == "unfinished"


def test_the_projects_commands_run_from_any_folder_and_after_a_move(tmp_path: Path) -> None:
    project = _Project(tmp_path / "project")
    assert project.install().returncode == 0
    moved = tmp_path / "a moved project"
    project.folder.rename(moved)
    link = tmp_path / "greet"
    link.symlink_to(moved / "venv" / "bin" / "greet")
    for program in (moved / "venv" / "bin" / "greet", link):
        done = subprocess.run([program], cwd="/", capture_output=True, text=True)
        assert (done.stdout, done.returncode) == ("hello\n", 3), done.stderr


def test_an_environment_elsewhere_has_the_commands_too(tmp_path: Path) -> None:
    """A link, `.venv`, to a folder on another disk."""
    project = _Project(tmp_path / "project")
    digest = hashlib.sha256(project.requirements.read_bytes()).hexdigest()
    project.note.write_text(f"requirements.txt {digest}")  # only the commands are missing
    (project.folder / "venv").rename(tmp_path / "elsewhere")
    (project.folder / "venv").symlink_to(tmp_path / "elsewhere")
    assert project.install().returncode == 0
    done = subprocess.run([project.folder / "venv" / "bin" / "greet"], cwd="/", capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("hello\n", 3), done.stderr


class _Runs(list[str]):
    """Commands that would run, those with `failing` in them without success."""

    def __init__(self, failing: str) -> None:
        self._failing = failing

    def __call__(self, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
        self.append(" ".join(command[1:]))
        return 7 if self._failing and self._failing in self[-1] else 0

    def installers(self) -> list[str]:
        return ["pip uv" if "uv.txt" in one else one.split()[1] for one in self]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> _Runs:
    """`install.main` installs into `tmp_path` by these commands, none of which runs."""
    ran = _Runs(request.param)
    monkeypatch.setattr(install, "_run", ran)
    monkeypatch.setattr(install, "_PIP", ("true", "-m", "pip"))
    monkeypatch.setattr(install, "ROOT", tmp_path)
    monkeypatch.setattr(install, "LOCKS", {"one": ("one.txt",), "both": ("one.txt", "two.txt")})
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(install, "link_project", lambda *folders: None)
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("some==1")
    return ran


@pytest.mark.parametrize(
    ("runs", "installers"),
    [("", ["pip uv", "uv"]), ("uv.txt", ["pip uv", "pip"]), ("-m uv", ["pip uv", "uv", "pip"])],
    ids=["uv", "uv cannot be had", "uv fails"],
    indirect=["runs"],
)
@pytest.mark.parametrize("is_repair", [False, True])
def test_pip_installs_what_uv_does_not(runs: _Runs, tmp_path: Path, installers: list[str], is_repair: bool) -> None:
    if is_repair:
        (tmp_path / ".installed").write_text("unfinished")
    assert install.main("one") == 0
    assert runs.installers() == installers
    assert ("reinstall" in runs[-1]) == is_repair
    assert runs[-1].endswith(f"--requirement {tmp_path / 'one.txt'}")


@pytest.mark.parametrize("runs", [""], indirect=True)
def test_what_changed_is_installed_again(runs: _Runs, tmp_path: Path) -> None:
    def installs(what: str) -> bool:
        runs.clear()
        assert install.main(what) == 0
        return runs != []

    assert installs("one") and not installs("one")
    assert installs("both") and not installs("both") and not installs("one")
    (tmp_path / "one.txt").write_text("some==2")
    assert installs("one") and not installs("one")
    assert "reinstall" not in " ".join(runs)
    assert installs("both")


@pytest.mark.parametrize("runs", ["-m"], indirect=True)
def test_a_failure_is_an_exit_code(runs: _Runs, tmp_path: Path) -> None:
    assert install.main("one") == 7
    assert (tmp_path / ".installed").read_text() == "unfinished"


def test_uv_is_told_what_pip_is_configured_with() -> None:
    settings = install.pip_settings(
        [
            ":env:.cert='/from/the/environment.pem'",
            "freeze.timeout='1'",
            "global.cert='/from/a/file.pem'",
            "global.extra-index-url='https://one.example/simple https://two.example/simple'",
            "global.index-url='https://name:word@main.example/simple'",
            "install.find-links='\\n/wheels\\n/more'",
            "install.trusted-host='one.example two.example'",
        ]
    )
    environment = install.uv_environment(settings, {"HOME": "/home", "UV_FIND_LINKS": "/own"})
    assert environment == {
        "HOME": "/home",
        "SSL_CERT_FILE": "/from/the/environment.pem",
        "UV_DEFAULT_INDEX": "https://name:word@main.example/simple",
        "UV_FIND_LINKS": "/own",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_INSECURE_HOST": "one.example two.example",
    }
    assert install.uv_environment(settings, {})["UV_FIND_LINKS"] == "/wheels,/more"


# Makes an environment, a folder with a Python that knows `import pip`.
_FAKE_PYTHON = """#!/bin/sh
case "$1 $2" in
"-c "*) exit 0 ;;
"--version ") echo Python 3.13.0 ;;
"-m venv") [ "$3" = --clear ] || exit 1
  rm -rf "$4" && mkdir -p "$4/bin" && printf '#!/bin/sh\\necho "$@"\\n' >"$4/bin/python" && chmod +x "$4/bin/python" ;;
esac
"""


@pytest.mark.parametrize("state", ["none", "whole", "python gone", "pip gone", "half made"])
def test_make_heals_the_environment(tmp_path: Path, state: str) -> None:
    fakes, environment = tmp_path / "fakes", tmp_path / "venv"
    fakes.mkdir()
    (fakes / "python3.13").write_text(_FAKE_PYTHON)
    (fakes / "python3.13").chmod(0o755)
    python = environment / "bin" / "python"
    if state != "none":
        python.parent.mkdir(parents=True)
        (environment / ".installed").touch()
    if state == "python gone":
        python.symlink_to(tmp_path / "python-of-yesterday")
    elif state in {"whole", "pip gone"}:
        python.write_text(f'#!/bin/sh\n[ "$1" != -c ] || exit {int(state == "pip gone")}\necho "$@"\n')
        python.chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "install-dev", f"VENV={environment}"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{fakes}{os.pathsep}{os.environ['PATH']}", "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "install.py dev"
    is_made = state != "whole"
    assert (f"making {environment} with Python 3.13.0" in done.stdout) == is_made
    assert (environment / ".installed").exists() != is_made
