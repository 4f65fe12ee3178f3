"""Calls of a component that come in another order than they were asked for: the newest data stays drawn."""

import pytest
from playwright.sync_api import Page

from app.components.component import HTML
from app.components.sources import script

_SETUP = """
const call = (text) => present(
  document.body,
  (root) => ({ root, end() { root.textContent = "ended"; } }),
  (view) => { view.root.textContent = text; },
);
const later = () => new Promise((done) => setTimeout(done, 1));
"""


@pytest.mark.parametrize(
    ("calls", "shown"),
    [
        ("const old = call('old'); old(); call('new');", "new"),
        ("call('new'); const old = call('old'); await null; old();", "new"),
        ("call('new'); await later(); const old = call('old'); await null; old();", "new"),
        ("call('new'); const old = call('old'), older = call('older'); await null; old(); older();", "new"),
        ("call('new'); const old = call('old'), older = call('older'); await null; older(); old();", "new"),
        ("const old = call('old'); await later(); call('new'); await later(); old();", "new"),
        ("call('old'); await later(); const last = call('new'); await later(); last();", "ended"),
    ],
)
def test_the_newest_data_stays(calls: str, shown: str, page: Page) -> None:
    page.set_content(HTML)
    page.add_script_tag(content=script("dom"))
    assert page.evaluate(f"async () => {{ {_SETUP} {calls} return document.body.textContent; }}").strip() == shown
