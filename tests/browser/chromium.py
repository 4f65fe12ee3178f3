"""Where Chromium is, and how to get it: `python -m tests.browser.chromium` finds or installs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")

# Headless, as root in a container, and without any look-up outside this machine.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # One process draws all pages: starting another one for each costs a third of a visit's work.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    # Playwright asks for the stack of every error, also of those that are caught. Without this Chromium parses the
    # scripts in that stack again: four times 4 MB for a chart, a second of CPU that no visitor's browser spends.
    "--js-flags=--no-enable-lazy-source-positions",
)


def find_chromium() -> str | None:
    """Path of a Chromium: $CHROMIUM, one of the system's, or the one that Playwright installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    for name in _NAMES:
        found = shutil.which(name)
        if found and _starts(found):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def _starts(path: str) -> bool:
    """Whether it is a browser: on Ubuntu `chromium-browser` may be a script that only asks for a snap."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _install() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "-q", "update"], env=environment, check=False)
        install = ["apt-get", "-q", "install", "-y", "--no-install-recommends", "chromium"]
        if subprocess.run(install, env=environment, check=False).returncode == 0 and find_chromium():
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> int:
    """Find Chromium, or install it, or say what to do."""
    if find_chromium() is None:
        sys.stderr.write("no Chromium found; installing one\n")
        _install()
    path = find_chromium()
    if path is None:
        sys.stderr.write(
            "The browser tests need Chromium, and it could not be installed. Install the package chromium (or Google "
            "Chrome), or set CHROMIUM to the path of one, and run this again.\n"
        )
        return 1
    sys.stderr.write(f"Chromium: {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
