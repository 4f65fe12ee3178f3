"""The patches of `app/server/patches` against the packages of this environment: `make canary` gives it the newest ones.

Prints the versions and the private names that are gone, then runs the tests of the patches.
"""

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import streamlit

from app.server import patches

PACKAGES = Path(streamlit.__file__).resolve().parents[1]
TESTS = Path(__file__).resolve().parents[1] / "app" / "server" / "patches"


def patch_names() -> list[str]:
    """The modules of the folder."""
    return [module.name for module in pkgutil.iter_modules(patches.__path__)]


def missing_names(name: str) -> Iterator[str]:
    """What a patch needs and a library no longer has, as `file: name`."""
    for pattern, names in importlib.import_module(f"{patches.__name__}.{name}").RELIES_ON.items():
        text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGES.glob(pattern))
        yield from (f"{pattern}: {needed}" for needed in names if needed not in text)


def main() -> int:
    """The exit code: 0 if nothing changed."""
    print(*(f"{package} {version(package)}" for package in ("streamlit", "starlette", "uvicorn", "websockets")))
    missing = [f"{name}: {lack}" for name in patch_names() for lack in missing_names(name)]
    print(*missing or ["every private name is there"], sep="\n")
    tests = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS], check=False)
    return tests.returncode or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
