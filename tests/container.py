"""Builds and starts the app by the steps of a Dockerfile, without Docker: `python -m tests.container [ITS_FOLDER]`.

The steps are read from the Dockerfile. An environment stands for the image's Python; folders that the Dockerfile names
(WORKDIR, VOLUME, paths in ENV) are made inside the folder. Not imitated: the base image and the user's rights.
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

_PATIENCE = 120  # seconds until the app answers

# Commands of the image that would change this machine.
_STAND_INS = {
    "useradd": "exit 0",
    "install": """for word; do shift; case $word in --owner=*) ;; *) set -- "$@" "$word" ;; esac; done
exec /usr/bin/install "$@\"""",
}


class Step(NamedTuple):
    """An instruction of the Dockerfile."""

    word: str
    rest: str


def steps(source: Path = ROOT) -> Iterator[Step]:
    lines = [line for line in (source / "Dockerfile").read_text().splitlines() if not line.startswith("#")]
    for line in re.sub(r"\\\n", "", "\n".join(lines)).splitlines():
        if line:
            word, _, rest = line.strip().partition(" ")
            yield Step(word, rest.strip())


class Container:
    """What the Dockerfile describes, in `folder`.

    Parameters
    ----------
    wanted : whether to run a command of the Dockerfile.
    environment_options : of `python -m venv`.
    source : folder of the Dockerfile.
    """

    def __init__(
        self,
        folder: Path,
        wanted: Callable[[str], bool] = lambda command: True,
        *environment_options: str,
        source: Path = ROOT,
    ) -> None:
        self.folder, self._wanted, self._environment_options = folder, wanted, environment_options
        self._source = source
        self._places = sorted(_places(source), key=len, reverse=True)
        self.work, self.command, self.health = folder, [""], ""
        # How packages are found is the machine's business.
        found = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "HTTP", "UV_"))}
        path = f"{folder / 'stand-ins'}:{folder / 'python' / 'bin'}:/usr/bin:/bin"
        self.environment = {**found, "PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8"}

    def build(self) -> None:
        for name, script in _STAND_INS.items():
            file = self.folder / "stand-ins" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"#!/bin/sh\n{script}\n")
            file.chmod(0o755)
        for step in steps(self._source):
            began = time.perf_counter()
            getattr(self, f"_{step.word.lower()}")(self._inside(step.rest))
            if time.perf_counter() - began > 0.5:
                print(f"{time.perf_counter() - began:6.1f} s  {step.word} {step.rest[:90]}", flush=True)

    def _inside(self, text: str) -> str:
        """`text` with the paths of the image inside the folder."""
        places = "|".join(map(re.escape, self._places))
        return re.sub(rf"(?<![\w./-])({places})(?![\w-])", rf"{self.folder}\1", text)

    def _from(self, image: str) -> None:
        python = [sys.executable, "-m", "venv", *self._environment_options, str(self.folder / "python")]
        subprocess.run(python, check=True)

    def _env(self, settings: str) -> None:
        self.environment |= dict(word.split("=", 1) for word in shlex.split(settings))

    def _workdir(self, path: str) -> None:
        self.work = Path(path)
        self.work.mkdir(parents=True)

    def _copy(self, names: str) -> None:
        """From the Dockerfile's folder, without what .dockerignore leaves out."""
        *sources, target = names.split()
        lines = (self._source / ".dockerignore").read_text().split()
        ignored = shutil.ignore_patterns(*(line.removeprefix("**/") for line in lines if line.startswith("**/")))
        for name in sources:
            assert f"!{name}" in lines, f".dockerignore leaves {name} out"
            if (self._source / name).is_dir():
                shutil.copytree(self._source / name, self.work / target, ignore=ignored)
            else:
                shutil.copy(self._source / name, self.work / target)

    def _run(self, command: str) -> None:
        if self._wanted(command):
            subprocess.run(["sh", "-c", command], cwd=self.work, env=self.environment, check=True)

    def _cmd(self, words: str) -> None:
        self.command = json.loads(words)

    def _healthcheck(self, words: str) -> None:
        self.health = words.partition("CMD ")[2]

    def _nothing(self, _: str) -> None: ...

    _user = _volume = _expose = _nothing

    def start(self) -> float:
        """Seconds from the start to the first good health check; the app is ended then."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        environment = {**self.environment, "PORT": str(port)}
        began = time.perf_counter()
        app = subprocess.Popen(self.command, cwd=self.work, env=environment)
        try:
            while subprocess.run(["sh", "-c", self.health], env=environment, capture_output=True).returncode:
                assert app.poll() is None, "the app ended"
                assert time.perf_counter() - began < _PATIENCE, "the app does not answer"
            return time.perf_counter() - began
        finally:
            app.terminate()
            app.wait(30)

    def call(self, *words: str) -> str:
        """What a program of the image prints."""
        return subprocess.run(words, env=self.environment, check=True, capture_output=True, text=True).stdout

    def files(self) -> set[Path]:
        """What the user of the image cannot write: the program and its Python."""
        return {path for folder in (self.work, self.folder / "python") for path in folder.rglob("*")}


def _places(source: Path) -> set[str]:
    found = {word for step in steps(source) if step.word in {"WORKDIR", "VOLUME"} for word in step.rest.split()}
    settings = (word for step in steps(source) if step.word == "ENV" for word in shlex.split(step.rest))
    return found | {value for setting in settings if (value := setting.partition("=")[2]).startswith("/")}


def main(source: Path = ROOT) -> int:
    with tempfile.TemporaryDirectory() as folder:
        container = Container(Path(folder), source=source)
        container.build()
        assert "shipped:thunder-tok-32k" in container.call("thunder-tok", "models")
        built = container.files()
        print(f"{container.start():6.1f} s  until the app answers")
        written = sorted(str(path.relative_to(folder)) for path in container.files() - built)
        print(*(f"written where the user may not write: {name}" for name in written[:10]), sep="\n")
        return int(bool(written))


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
