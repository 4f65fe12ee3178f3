"""Pictures of the running app for the documentation: `python -m research.site.pictures FOLDER`.

They are made with every build of the site and not stored, so they show the pages as they are.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect, sync_playwright

from tests.app_server import AppServer
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.walk import open_first

LANGUAGES = ("en", "ko")

# The address of each picture, without the language. A picture that takes a minute to be drawn has no place here.
ADDRESSES = {
    "explore": "/?",
    "lattice": "/lattice?text=고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.",
    "rounds": "/rounds?sentence=고구마는 다양한 사이드 디쉬로 활용할 수 있는 음식입니다.&round=4",
    "scores": "/scores?",
    "cost": "/cost?",
    "grid": "/morphology?view=grid",
    "boundaries": "/boundaries?",
    "bpe": "/learn_bpe?",
    "class": "/lessons?plan=20",
    "papers": "/papers?",
}


def main(folder: Path) -> None:
    """Write `<name>.<language>.png` for each address.

    Raises
    ------
    RuntimeError : there is no Chromium; `make test` installs one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chromium = find_chromium()
    if chromium is None:
        raise RuntimeError("no Chromium on this machine")
    with TemporaryDirectory() as library, sync_playwright() as playwright:
        server = AppServer(library)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
            page.set_default_timeout(120_000)
            for name, address in ADDRESSES.items():
                for language in LANGUAGES:
                    open_first(page, f"{server.url}{address}&lang={language}")
                    _draw(page, folder / f"{name}.{language}.png")
        finally:
            browser.close()
            server.stop()


def _draw(page: Page, path: Path) -> None:
    """Write the window to a file, once everything is drawn."""
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.mouse.move(0, 0)
    page.screenshot(animations="disabled", path=path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
