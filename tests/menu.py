"""Pages as the menu has them, and the views of each as the catalogue names them: what a test opens on every page."""

import re

from app.main import _MENU, pages
from app.texts.catalogue import catalogue

# In the order of the menu; a visitor arrives at the first.
PAGES = pages()

# Of every page, the text of its link in the menu: that of its first view there.
LINKS = {
    page: f"frame.view.{page}_{view}" if view else f"frame.page.{page}"
    for _, views in [*_MENU.values()][::-1]
    for page, view in views[::-1]
    if len(views) > 1
}
LINKS = {page: LINKS.get(page, f"frame.entry.{page}" if page in _MENU else f"frame.page.{page}") for page in PAGES}
# Of every page in the menu, its entry and the page that this opens.
ENTRIES = {page: (entry, views[0][0]) for entry, (_, views) in _MENU.items() for page, _ in views}


def _views() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Of every page with views: the parameter of the URL that chooses one, and the views in their order."""
    named: dict[str, dict[str, tuple[str, ...]]] = {}
    for key in catalogue():
        found = re.fullmatch(r"(\w+)\.(view|tab)\.(\w+)", key)
        if found and found[1] in PAGES and found[3] != "label":
            views = named.setdefault(found[1], {})
            views[found[2]] = (*views.get(found[2], ()), found[3])
    # Where a page has tabs, `view` names parts of a picture.
    return {page: (param := "tab" if "tab" in views else "view", views[param]) for page, views in named.items()}


VIEWS = _views()
