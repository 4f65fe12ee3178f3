"""Builds the package, installs it with every Python 3.11 to 3.13 here, and tries it: `python -m tests.wheel.smoke`.

With `--cold`, packages are downloaded anew, so that the seconds are those of a first installation.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from install import pip_settings, uv_environment
from tests.wheel.build import build_sources, build_wheel

VERSIONS = ("3.11", "3.12", "3.13")
_UNREACHABLE = ("error sending request", "Failed to fetch", "dns error", "Network connectivity is disabled")


class Unreachable(Exception):
    """There is no index of packages."""


def pythons() -> dict[str, Path]:
    """Interpreters by version; of one that is here twice, the first on the path."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = {}
    for version in VERSIONS:
        on_path = shutil.which(f"python{version}")
        places = [Path(on_path)] if on_path else []
        for path in (*places, *sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)):
            if (
                version not in found
                and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
            ):
                found[version] = path
    return found


class Installation:
    """An environment of its own, in `folder`.

    Parameters
    ----------
    is_cold : whether to download every package.
    """

    def __init__(self, folder: Path, python: Path, is_cold: bool = False) -> None:
        listed = subprocess.run(
            [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
        )
        own = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NUMBA"))}
        self._environment = {**uv_environment(pip_settings(listed.stdout.splitlines()), own), "LC_ALL": "C.UTF-8"}
        self._environment["XDG_CACHE_HOME"] = str(folder / "kernels")
        if not is_cold:
            cache = subprocess.run(
                [sys.executable, "-m", "uv", "cache", "dir"], capture_output=True, text=True, check=True
            )
            self._environment["UV_CACHE_DIR"] = cache.stdout.strip()
        else:
            self._environment["UV_CACHE_DIR"] = str(folder / "packages")
        self._folder, self.python = folder, folder / "venv" / "bin" / "python"
        self._uv("venv", "--quiet", "--python", str(python), str(folder / "venv"))

    def install(self, wheel: Path, extras: str = "") -> float:
        """Seconds; Unreachable without an index."""
        began = time.perf_counter()
        self._uv("pip", "install", "--quiet", "--python", str(self.python), f"{wheel}{extras}")
        return time.perf_counter() - began

    def check(self, what: str, **environment: str) -> None:
        """Run a part of tests/wheel/installed.py there, away from the checkout."""
        script = Path(__file__).with_name("installed.py")
        done = subprocess.run(
            [self.python, "-P", script, what],
            cwd=self._folder,
            env=self._environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]

    def _uv(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "uv", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode and any(word in done.stderr for word in _UNREACHABLE):
            raise Unreachable(done.stderr[-500:])
        assert done.returncode == 0, done.stderr[-3000:]


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        for version, python in pythons().items():
            place = Path(folder) / version
            place.mkdir()
            made = Installation(place, python, "--cold" in arguments)
            print(f"Python {version}: installed in {made.install(wheel):.1f} s", flush=True)
            began = time.perf_counter()
            made.check("base")
            print(f"  works, its kernels compiled, after {time.perf_counter() - began:.0f} s", flush=True)
            print(f"  public and export installed in {made.install(wheel, '[public,export]'):.1f} s", flush=True)
            made.check("extras")
        sources = build_sources(Path(folder))
        made = Installation(Path(folder) / "sources", Path(sys.executable))
        print(f"{sources.name}: built and installed in {made.install(sources):.1f} s", flush=True)
        made.check("base", NUMBA_DISABLE_JIT="1")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
