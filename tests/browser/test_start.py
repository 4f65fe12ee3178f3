"""A server that is still compiling its kernels shows what it can, and the rest by itself."""

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine._jit import kernel_cache
from engine.commands import warmup
from engine.machine.atomic_file import locked
from tests.app_server import AppServer
from tests.conftest import ROOT


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """All kernels but those of the public tokenizers."""
    subprocess.run([sys.executable, "-m", "engine", "warmup"], cwd=ROOT, check=True, capture_output=True)
    return Path(
        shutil.copytree(kernel_cache(), tmp_path / "kernels", ignore=shutil.ignore_patterns("*.made", "token_parts.*"))
    )


@pytest.mark.slow
def test_the_first_view_is_completed_by_itself(page: Page, cache: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        # As another server would that compiles everything.
        held = stack.enter_context(ExitStack())
        for name, _ in warmup._steps():
            held.enter_context(locked(cache / f"{name}.lock"))
        server = AppServer("off", NUMBA_CACHE_DIR=str(cache), THUNDER_TOK_MODEL="shipped:thunder-tok-32k")
        stack.callback(server.stop)
        stack.callback(page.goto, "about:blank")  # before it stops
        page.goto(f"{server.url}/?lang=en")
        expect(page.locator("[data-token='1.0']").first).to_be_visible()
        expect(page.get_by_text(f"(0 of {warmup.n_steps()})")).to_be_visible()
        assert not page.locator("[data-token='3.0']").count()
        held.close()
        # The compiler gives way to everything else on this machine.
        expect(page.locator("[data-token='3.0']").first).to_be_visible(timeout=300_000)
        expect(page.get_by_text("Preparing")).to_have_count(0)
