"""The package as `pip install .` builds it, from a copy of the sources."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PACKAGES = ("app", "assets", "engine", "thundertok")
_BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"


def build_wheel(folder: Path) -> Path:
    """The wheel, in `folder/wheel`."""
    source, target = folder / "source", folder / "wheel"
    target.mkdir(parents=True)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name)  # with __pycache__, as in any checkout that was used
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = subprocess.run([sys.executable, "-c", _BUILD, str(target)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return next(target.glob("*.whl"))
