"""All pages of one session, one after the other, as a visitor who clicks through the menu sees them.

A session keeps what was typed, uploaded and trained only as long as nothing is loaded anew, so a walk never does.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from playwright.sync_api import Locator, Page, TimeoutError, expect

from app.texts.catalogue import catalogue, template, translate
from tests.browser.actions import go_back
from tests.browser.drawn import drawn, open_line
from tests.menu import ENTRIES, LINKS, PAGES, VIEWS

_LONG = 180_000
_TRAINING = re.compile("^" + translate("set.training", "en", names=""))


def settle(page: Page) -> None:
    """Wait until the page is drawn and nothing is being trained for it."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=_LONG)
    expect(page.locator(".st-key-job")).to_have_count(0, timeout=_LONG)
    expect(page.get_by_text(_TRAINING)).to_have_count(0, timeout=_LONG)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=_LONG)
    expect(page.locator("[data-stale=true]")).to_have_count(0, timeout=_LONG)
    drawn(page)


# Notes that what is asked for has been answered, 100 ms after the last message: what is seen right after a click is
# what the run before left. That the server is busy is not said of a short run.
_WATCH = """() => {
  clearTimeout(window.__rest);
  window.__hasRun = false;
  if (window.__rest !== undefined) return;
  window.__rest = 0;
  const { send } = WebSocket.prototype;
  const look = () => {
    clearTimeout(window.__rest);
    window.__rest = setTimeout(() => (window.__hasRun = true), 100);
  };
  WebSocket.prototype.send = function (data) {
    clearTimeout(window.__rest);
    window.__hasRun = false;
    this.addEventListener('message', look);
    return send.call(this, data);
  };
}"""


@contextmanager
def _a_beginning(page: Page) -> Iterator[None]:
    """What is done inside, on a settled page, has the script run; goes on when that run has begun."""
    page.evaluate(_WATCH)
    yield
    with suppress(TimeoutError):  # not everything that is done here has the script run
        page.wait_for_function("window.__hasRun", timeout=2_000)


@contextmanager
def a_run(page: Page) -> Iterator[None]:
    """What is done inside, on a settled page, has the script run; goes on when that run has ended and all is drawn."""
    with _a_beginning(page):
        yield
    settle(page)


def open_first(page: Page, url: str) -> None:
    """Begin a session, in English."""
    page.goto(url)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=_LONG)
    settle(page)


def open_next(page: Page, name: str, query: str, view: str = "", language: str = "en") -> None:
    """Open another address of the app in the page that is open, which takes half of what loading it takes."""
    with _a_beginning(page):
        go_back(page, f"/{'' if name == PAGES[0] else name}?lang={language}" + f"&view={view}" * bool(view) + query)
    titles = {f"{name}.title", f"frame.view.{name}_{view}"} & {*catalogue()}
    title = "|".join(re.escape(translate(key, language)) for key in titles)
    expect(page.get_by_role("heading", level=1, name=re.compile(f"^({title})$"))).to_be_visible(timeout=_LONG)
    settle(page)


def _is_refused(page: Page) -> Locator:
    """Where the active model has no lattice or no rounds, some pages only say so."""
    no_lattice, no_rounds = (template(f"model.{lack}", "en").split("{name}")[1] for lack in ("no_lattice", "no_rounds"))
    return page.get_by_text(no_lattice).or_(page.get_by_text(no_rounds))


def menu_link(page: Page, name: str, language: str = "en") -> Locator:
    """The link to a page in the menu: of its view, or of its entry, which is opened if it begins elsewhere."""
    menu = page.locator(".st-key-menu")
    link = menu.get_by_role("link", name=translate(LINKS[name], language), exact=True)
    if not link.count():
        entry, first = ENTRIES[name]
        of_entry = menu.get_by_role("link", name=translate(f"frame.entry.{entry}", language), exact=True).first
        if name == first:
            return of_entry
        with a_run(page):
            of_entry.click()
    # An entry may be called like one of its views, which follows it.
    return link.last


def go_to(page: Page, name: str) -> None:
    """Follow the menu to a page."""
    with _a_beginning(page):
        menu_link(page, name).click()
    expect(page).to_have_url(re.compile(r":\d+/(\?|$)" if name == PAGES[0] else rf"/{name}(\?|$)"))
    title = page.get_by_role("heading", level=1, name=translate(f"{name}.title", "en"), exact=True)
    expect(title).to_be_visible(timeout=_LONG)
    settle(page)


def _view(page: Page, name: str, view: str) -> Locator:
    """The option of the page that shows this view, or its link where only the menu has one."""
    link = f"frame.view.{name}_{view}"
    if link not in catalogue():
        label = translate(f"{name}.{VIEWS[name][0]}.{view}", "en")
        return page.get_by_test_id("stMain").get_by_role("radio", name=label, exact=True).first
    return page.locator(".st-key-menu").get_by_role("link", name=translate(link, "en"), exact=True).last


def _is_current(view: Locator) -> bool:
    return view.get_attribute("aria-current") == "page" if view.get_attribute("href") else view.is_checked()


def go_to_view(page: Page, name: str, view: str) -> None:
    """Choose a view of the page."""
    with _a_beginning(page):
        _view(page, name, view).click()
    settle(page)
    assert _is_current(_view(page, name, view)), (name, view)
    # The address names no other one; the usual one it does not name.
    expect(page).to_have_url(re.compile(rf"^(?!.*[?&]{VIEWS[name][0]}=(?!{view}(&|$)))"), timeout=_LONG)
    settle(page)


def add_text(page: Page, name: str, data: bytes) -> None:
    """Upload a text of one's own to measure on; its name then stands in lists, columns and figures."""
    go_to(page, "cost")
    open_line(page.locator("[class*='st-key-cost-more-fairness']").first)
    settle(page)
    page.get_by_role("radio", name=translate("cost.measured.texts", "en"), exact=True).click()
    settle(page)
    open_line(page.locator(".st-key-texts"))
    page.get_by_role("button", name=translate("corpus.own", "en")).click()
    loader = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    loader.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    expect(page.get_by_test_id("stMain").get_by_test_id("stMultiSelect").first).to_contain_text(name)
    settle(page)


def walk(page: Page, pages: Iterable[str] = PAGES) -> Iterator[str]:
    """Every one of these pages and every view of it, as `page` or `page/view`, once it is drawn."""
    for name in pages:
        go_to(page, name)
        if name not in VIEWS or _is_refused(page).count():
            yield name
            continue
        _, views = VIEWS[name]
        # What the page shows first depends on the model, and the session keeps it.
        first = next(view for view in views if _is_current(_view(page, name, view)))
        for view in (first, *(other for other in views if other != first)):
            if view != first:
                go_to_view(page, name, view)
            yield f"{name}/{view}"


def lists(page: Page) -> Iterator[str]:
    """Every list and every pop-up of the page, by its label, while it is open."""
    main = page.get_by_test_id("stMain")
    for kind, inside in (("stPopover", "button"), ("stSelectbox", "input"), ("stMultiSelect", "input")):
        for opener in main.get_by_test_id(kind).locator(inside).all():
            if not opener.is_visible() or opener.is_disabled():
                continue
            opener.click()
            yield f"{kind} {opener.get_attribute('aria-label') or opener.inner_text()}"
            page.keyboard.press("Escape")


def type_everywhere(page: Page, text: str) -> int:
    """Write the text into every field of the page that takes text, and leave it; returns into how many."""
    main = page.get_by_test_id("stMain")
    # What is unfolded may have folded parts itself.
    folded = main.locator("details:not([open]) > summary").filter(visible=True)
    while folded.count():
        folded.last.click()
        settle(page)
    fields = main.locator("[data-testid=stTextArea] textarea, [data-testid=stTextInput] input, textarea.live")
    typed = 0
    # What is typed into one may take others away, or bring some.
    for i in range(fields.count()):
        field = fields.nth(i)
        if i >= fields.count() or not field.is_visible() or field.is_disabled():
            continue
        typed += 1
        said = text[: int(field.get_attribute("maxlength") or len(text))]
        if field.input_value() == said:  # another page or view has the same field
            continue
        is_in_form = field.evaluate("(field) => field.closest('[data-testid=stForm]') !== null")
        with nullcontext() if is_in_form else a_run(page):  # a form is sent by its button
            field.fill(said)
            field.blur()
    return typed
