"""Pages of the app in Streamlit's own simulator: no browser, a session of its own each."""

import html
import json
import re
from concurrent.futures import wait
from functools import cache
from typing import Any, ClassVar

import pandas as pd
from streamlit import config, dataframe_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.util import calc_hash

from app.parts import data_table
from app.server import background
from app.server.work import jobs
from app.texts.catalogue import catalogue
from tests.conftest import ROOT, wait_until
from tests.menu import PAGES as PAGES

# Streamlit reads app/.streamlit when it starts the app, which the simulator does not. The app hides the reason of an
# error from visitors; a failing test should show it.
config._main_script_path = str(ROOT / "app" / "main.py")
config.get_config_options(force_reparse=True)
config.set_option("client.showErrorDetails", "full")

# The simulator reads what every installed package says of itself for each page that it opens: a third of its work.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

# It also compiles the page for each run; a server keeps what it has compiled.
_scripts = ScriptCache()
app_test.ScriptCache = local_script_runner.ScriptCache = lambda: _scripts

# And it looks every millisecond whether the run has ended, in all that the run has sent.
_refuse = local_script_runner.require_widgets_deltas


def _wait_for_run(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        _refuse(runner, timeout=0)


local_script_runner.require_widgets_deltas = _wait_for_run


class _KnownPages(PagesManager):
    """A server knows the pages of the app when a fragment runs alone; the simulator forgets them after each run."""

    _known: ClassVar[dict[str, dict[str, Any]]] = {}

    def __init__(self, main_script_path: str, *options: Any, **named: Any) -> None:
        super().__init__(main_script_path, *options, **named)
        self._pages = self._known.get(main_script_path)

    def set_pages_and_resolve(self, pages: dict[str, Any], fallback_page_hash: str = "") -> Any:
        self._known[self.main_script_path] = pages
        return super().set_pages_and_resolve(pages, fallback_page_hash)


app_test.PagesManager = _KnownPages


def _refuse_table(table: pd.DataFrame, *_: object) -> None:
    raise AssertionError(f"a traceback in the server's log: Arrow takes no such cells: {table.dtypes.to_dict()}")


# Streamlit logs what Arrow cannot take, and goes on with texts.
dataframe_util.fix_arrow_incompatible_column_types = _refuse_table

# What is in the closed lines with tables is tested too; that they are sent only once they are open, in test_share.py.
data_table.is_open = lambda _: True

# Above the time that kernels take to compile where none are in the cache.
TIMEOUT = 300


def open_page(page: str = PAGES[0], session: dict[str, Any] | None = None, /, **params: Any) -> AppTest:
    """The page as a link with these parameters opens it, after one run; `session` is what the session holds already."""
    app = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=TIMEOUT)
    app.query_params.update(params)
    for key, value in (session or {}).items():
        app.session_state[key] = value
    # `switch_page` knows pages by their URLs only after a run of the first page, which would take the parameters as
    # its own, and costs as much as the run that is wanted.
    app._page_hash = app._finished_page_script_hash = calc_hash("" if page == PAGES[0] else page)
    app.run()
    assert not app.exception, app.exception
    # An unknown page would be the first one. One that has nothing to show for this model ends before its title.
    view = params.get("view", "")
    view = view if isinstance(view, str) else view[-1]
    names = (catalogue().get(key, {}) for key in (f"{page}.title", f"frame.view.{page}_{view}"))
    assert {title.value for title in app.title} <= {name for texts in names for name in texts.values()}
    return app


def write(app: AppTest, key: str, text: str) -> AppTest:
    """The page after this text was written into the field that keeps its text under `key`, and the visitor paused."""
    app.session_state[key] = text
    return app.run()


def choose_example(app: AppTest, key: str, name: str) -> AppTest:
    """The page after a click on this example, in the list with this key or the page's."""
    key = key if "." in key else f"{key}.example"
    pills = next(group for group in app.get("button_group") if (group.key or "").startswith(f"{key}."))
    return pills.set_value(None if pills.value == name else name).run()


def go_to(app: AppTest, page: str) -> AppTest:
    """The same session on another page, as by a click in the menu."""
    app.switch_page(str(ROOT / "app" / "views" / page / "page.py")).run()
    assert not app.exception, app.exception
    return app


def refresh(app: AppTest) -> AppTest:
    """The page after every job has ended, as the browser's polling would show it; it may have begun others."""
    wait_until(lambda: jobs.registry().is_idle, TIMEOUT)
    app.run()
    assert not app.exception, app.exception
    return app


def when_made(app: AppTest) -> AppTest:
    """The page after all that is done in the background, as its polling would show it."""
    wait(background.begun(), TIMEOUT)  # also what pages before began; what failed is the business of its page
    app.run()
    assert not app.exception, app.exception
    return app


def agree(app: AppTest) -> AppTest:
    """The page after a click that trains what its link names, where it asks for one."""
    return app.button(key="set.train").click().run() if any(one.key == "set.train" for one in app.button) else app


def settle(app: AppTest) -> AppTest:
    """The page after every job has ended, those of its link and those that it began then, and so on."""
    registry, n_shown = jobs.registry(), 0
    agree(app)
    # A job that the last run began may have ended already.
    while n_shown < (n_shown := len(registry._jobs) + len(registry._finished)):
        agree(refresh(app))
    return app


def facts(app: AppTest) -> list[dict[str, Any]]:
    """What the page tells the Share menu: of its files, and of itself."""
    bodies = (str(node.proto.body) for node in app.get("html"))
    return [json.loads(html.unescape(found)) for body in bodies for found in re.findall('data-facts="(.*?)"', body)]


def shared_commands(app: AppTest) -> list[str]:
    """The commands of the page's picture."""
    return next((fact["commands"] for fact in facts(app) if "commands" in fact), [])
