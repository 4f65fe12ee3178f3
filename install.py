"""Install packages and the project into the environment of this Python: `.venv/bin/python install.py app`.

The project is linked, not copied: an edit needs no new installation. uv installs the packages, in a tenth of the time
of pip, which does where uv cannot be had or fails. Both check the hashes. A note in the environment says what is
installed: nothing happens if it is up to date; after an interruption, everything is replaced.
"""

import argparse
import ast
import hashlib
import os
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
_EXTRAS = ("requirements/cluster.txt", "requirements/postgresql.txt")
# What can be installed, and the files that pin it.
LOCKS = {
    "app": ("requirements.txt",),
    "server": ("requirements.txt", "requirements/postgresql.txt"),
    "dev": ("requirements.txt", *_EXTRAS, "requirements/dev.txt"),
    "docs": ("requirements.txt", *_EXTRAS, "requirements/dev.txt", "requirements/docs.txt"),
}
_UNFINISHED = "unfinished"
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_UV = (sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable, "--require-hashes")

# A program of the environment. It finds its Python beside itself: the checkout can be moved, and its path have spaces.
_COMMAND = """#!/bin/sh
'''exec' "$(dirname "$(readlink -f "$0")")/python" "$0" "$@"
'''
import sys
from {module} import {function}
sys.exit({function}())
"""

# pip's settings, uv's variables with the same meaning, and how these separate several values, if they can have several.
_VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", None),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", None),
    "timeout": ("UV_HTTP_TIMEOUT", None),
    "cert": ("SSL_CERT_FILE", None),
    "client-cert": ("SSL_CLIENT_CERT", None),
    "proxy": ("ALL_PROXY", None),
}


def main(what: str) -> int:
    """Install this entry of `LOCKS`, unless its files are installed as they are now. Returns an exit code."""
    names = LOCKS[what]
    link_project(Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("scripts")))
    note = Path(sys.prefix) / ".installed"
    wanted = [f"{name} {hashlib.sha256((ROOT / name).read_bytes()).hexdigest()}" for name in names]
    found = note.read_text().splitlines() if note.exists() else []
    if set(wanted) <= set(found):
        return 0
    note.write_text(_UNFINISHED)
    code = _install(names, is_repair=found == [_UNFINISHED])
    if code == 0:
        note.write_text("\n".join(wanted))
    return code


def link_project(packages: Path, programs: Path) -> None:
    """Make the project's packages and commands those of the environment, wherever they are called."""
    is_inside = packages.resolve().is_relative_to(ROOT)
    _write(packages / "thunder_tok_explorer.pth", f"{os.path.relpath(ROOT, packages) if is_inside else ROOT}\n")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name, target in settings["project"]["scripts"].items():
        module, _, function = target.partition(":")
        _write(programs / name, _COMMAND.format(module=module, function=function), mode=0o755)


def _write(file: Path, text: str, mode: int = 0o644) -> None:
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)


def _install(names: Sequence[str], is_repair: bool) -> int:
    files = [word for name in names for word in ("--requirement", str(ROOT / name))]
    listed = subprocess.run([*_PIP, "config", "list"], capture_output=True, text=True, check=False)
    if listed.returncode:  # pip itself was not completely installed
        _run([sys.executable, "-m", "ensurepip"])
        listed = subprocess.run([*_PIP, "config", "list"], capture_output=True, text=True, check=False)
    settings = pip_settings(listed.stdout.splitlines())
    if _run([*_PIP, "install", "--quiet", "--requirement", str(ROOT / "requirements" / "uv.txt")]) == 0:
        options = [*["--reinstall"] * is_repair, *["--no-index"] * (settings.get("no-index") in {"1", "true", "yes"})]
        if _run([*_UV, *options, *files], uv_environment(settings, os.environ)) == 0:
            return 0
    sys.stderr.write("uv did not install the packages; installing them with pip, which takes a minute or two\n")
    return _run([*_PIP, "install", *["--force-reinstall"] * is_repair, *files])


def _run(command: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    return subprocess.run(command, env=environment, check=False).returncode


def pip_settings(lines: Iterable[str]) -> dict[str, str]:
    """The settings for `pip install`, from the lines of `pip config list`, such as `global.timeout='60'`."""
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in lines:
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in found:
            found[section][name] = str(ast.literal_eval(value))
    return {name: value for section in found.values() for name, value in section.items()}


def uv_environment(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` with what pip is configured with, for uv; variables that are set are kept."""
    # Like pip, take the pinned version from any index that has it; its hash is checked.
    translated = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, (variable, separator) in _VARIABLES.items():
        if name in settings:
            translated[variable] = separator.join(settings[name].split()) if separator else settings[name]
    return {**translated, **environment}


if __name__ == "__main__":
    try:
        parser = argparse.ArgumentParser(description="Install the pinned packages and link the project.")
        parser.add_argument("what", choices=LOCKS)
        sys.exit(main(parser.parse_args().what))
    except KeyboardInterrupt:
        sys.exit(130)
