"""Pictures of the running app for the documentation: `python -m research.site.pictures FOLDER`.

They are made with every build of the site and not stored, so they show the pages as they are.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests.app_server import AppServer
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.walk import open_first


@contextmanager
def visited(width: int, height: int) -> Iterator["BrowserWindow"]:
    """A server and a browser window of this size in pixels, until the block ends.

    Raises
    ------
    RuntimeError : there is no Chromium; `make test` installs one.
    """
    path = find_chromium()
    if path is None:
        raise RuntimeError("no Chromium on this machine")
    with TemporaryDirectory() as library, sync_playwright() as playwright:
        server = AppServer(library)
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            size: ViewportSize = {"width": width, "height": height}
            yield BrowserWindow(server.url, chromium.new_context(viewport=size, reduced_motion="reduce").new_page())
        finally:
            chromium.close()
            server.stop()


class BrowserWindow:
    """A window on the app.

    Parameters
    ----------
    url : of the server.
    page : the window.
    """

    def __init__(self, url: str, page: Page) -> None:
        self._url, self._page = url, page
        page.set_default_timeout(120_000)

    def picture(self, address: str) -> bytes:
        """PNG of the window at this address of the app, once everything is drawn."""
        open_first(self._page, f"{self._url}{address}")
        expect(self._page.get_by_test_id("stSkeleton")).to_have_count(0)
        self._page.mouse.move(0, 0)
        return self._page.screenshot(animations="disabled")

    def save(self, address: str, path: Path) -> None:
        """Write that picture to a file."""
        path.write_bytes(self.picture(address))


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
    """Write `<name>.<language>.png` for each address."""
    folder.mkdir(parents=True, exist_ok=True)
    with visited(1280, 800) as window:
        for name, address in ADDRESSES.items():
            for language in LANGUAGES:
                window.save(f"{address}&lang={language}", folder / f"{name}.{language}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
