"""The package as `pip install .` builds it, and its sources as an index has them, from a copy of the checkout."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PACKAGES = ("app", "assets", "engine", "thundertok")
_BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, 'build_' + sys.argv[2])(sys.argv[1])"


def build_wheel(folder: Path) -> Path:
    """The wheel, in `folder/wheel`."""
    return _built(folder, "wheel")


def build_sources(folder: Path) -> Path:
    """The archive of sources, in `folder/sdist`; a wheel can be built from it."""
    return _built(folder, "sdist")


def _built(folder: Path, what: str) -> Path:
    source, target = folder / f"for-{what}", folder / what
    target.mkdir(parents=True)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name)  # with __pycache__, as in any checkout that was used
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = subprocess.run([sys.executable, "-c", _BUILD, str(target), what], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return next(target.iterdir())
