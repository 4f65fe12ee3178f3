"""The Share menu in a browser: on a chart, on strips and on a lattice; and a picture alone, in a frame."""

import json
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest
from playwright.sync_api import Locator, Page, expect

from app.texts.catalogue import translate
from tests.browser.actions import at_rest

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PARAMS = "lang=ko&model=shipped:thunder-tok-8k"
_MOST_BYTES = 100_000
# XML has no way to write these, and one may be in a token.
_ODD, _ODD_WRITTEN = r"\0\x0b\x1b\ufffe\uffff\ud800", r"\u0000\u000b\u001b\ufffe\uffff\ud800"
_BLOCKED = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"


def _open_menu(page: Page) -> Locator:
    at_rest(page)
    _button(page).click()
    menu = page.get_by_role("dialog", name=_said("title"))
    expect(menu).to_be_visible()
    return menu


def _button(page: Page) -> Locator:
    """That of the main picture; a component elsewhere has its own."""
    own = page.locator(".st-key-picture .stBidiComponent [data-share]")
    return own.first if own.count() else page.locator("[data-testid=stHtml] [data-share]")


def _said(key: str) -> str:
    return translate(f"share.{key}", "ko")


def _act(menu: Locator, key: str) -> None:
    menu.get_by_role("button", name=_said(key), exact=True).click()


def _saved(page: Page, menu: Locator, key: str, folder: Path) -> Path:
    with page.expect_download() as download:
        _act(menu, key)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def _outlined(path: Path) -> ET.Element:
    """The picture of a file all of whose letters are outlines that it contains."""
    written = path.read_text(encoding="utf-8")
    picture = ET.fromstring(written)
    known = {f"#{node.get('id')}" for node in picture.iter(f"{_SVG}path") if node.get("id")}
    used = [node.get(_HREF) for node in picture.iter(f"{_SVG}use")]
    assert used and {*used} <= known
    # The names of outlines end in the code points of what they show.
    assert any("가" <= chr(int(str(name)[2:], 16)) <= "힣" for name in used)
    left = "".join("".join(node.itertext()) for node in picture.iter(f"{_SVG}text"))
    assert not re.search("[가-힣a-zA-Z]", left.replace(_ODD_WRITTEN, ""))
    assert "color-mix" not in written and "var(" not in written and "tabindex" not in written
    assert "\ufffd" not in written
    return picture


@pytest.mark.slow
def test_a_chart_is_shared_in_every_way(
    page: Page, app_url: str, tmp_path: Path, serious: Callable[[Page], list[str]]
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{app_url}/cost?{_PARAMS}")
    expect(page.locator(".st-key-picture .main-svg").first).to_be_visible()
    menu = _open_menu(page)
    status, text = menu.get_by_role("status"), menu.locator("textarea")
    expect(menu.get_by_role("button").first).to_be_focused()
    assert serious(page) == []

    _act(menu, "link")
    expect(status).to_have_text(_said("copied"))
    assert page.evaluate("navigator.clipboard.readText()") == page.url

    _act(menu, "embed")
    expect(text).to_have_value(re.compile(r"^<iframe src=.*/cost\?.*figure=picture&amp;embed=true.*</iframe>$"))
    _act(menu, "command")
    expect(status).to_have_text(_said("no_command"))

    buttons = page.locator('[class*="st-key-csv-"]')
    expect(buttons).to_have_count(0)  # in a closed line, which is sent once it is opened
    table = _saved(page, menu, "csv", tmp_path)
    expect(buttons).to_have_count(1)
    assert re.fullmatch(r"cost_GPT-2-GPT-4-.*_v[0-9.]+\.csv", table.name)
    assert "text_sha256" in table.read_text("utf-8-sig").splitlines()[0]
    latex = _saved(page, menu, "tex", tmp_path)
    assert latex.stem == table.stem and r"\begin{tabular}" in latex.read_text("utf-8")
    assert _saved(page, menu, "md", tmp_path).read_text("utf-8").startswith("| ")
    pixels = _saved(page, menu, "png", tmp_path)
    assert pixels.stem == table.stem and pixels.read_bytes().startswith(b"\x89PNG")
    _act(menu, "image")
    expect(status).to_have_text(_said("copied"))
    kinds = "navigator.clipboard.read().then(([item]) => item.types)"
    assert page.evaluate(kinds) == ["image/png"]

    menu.get_by_role("button").nth(1).press("Escape")
    expect(menu).to_be_hidden()
    expect(_button(page)).to_be_focused()


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("explore?text=~안녕하세요,%20반갑습니다!", marks=pytest.mark.slow),
        "lattice?text=~고구마는%20맛있다",
        "cost?of=ko",
    ],
)
def test_a_saved_picture_shows_hangul_in_every_program(page: Page, app_url: str, tmp_path: Path, address: str) -> None:
    page.goto(f"{app_url}/{address}&{_PARAMS}")
    drawn = page.locator(".stBidiComponent .line text, .st-key-picture .main-svg text").first
    expect(drawn).to_be_visible()
    if "lattice" in address:
        drawn.evaluate(f"text => text.append('{_ODD}')")
    menu = _open_menu(page)
    path = _saved(page, menu, "svg", tmp_path)
    assert path.stat().st_size < _MOST_BYTES
    _outlined(path)
    if "lattice" in address:
        assert _ODD_WRITTEN in path.read_text("utf-8")
    page.goto(path.as_uri())
    expect(page.locator("svg use").first).to_be_attached()


def test_a_blocked_clipboard_is_said_and_the_text_selected(page: Page, app_url: str) -> None:
    page.add_init_script(_BLOCKED)
    page.goto(f"{app_url}/cost?{_PARAMS}")
    expect(page.locator(".st-key-picture .main-svg").first).to_be_visible()
    menu = _open_menu(page)
    status, text = menu.get_by_role("status"), menu.locator("textarea")
    _act(menu, "link")
    expect(status).to_have_text(_said("blocked"))
    expect(text).to_have_value(page.url)
    assert text.evaluate("text => [text.selectionStart, text.selectionEnd]") == [0, len(page.url)]
    _act(menu, "image")
    expect(status).to_have_text(_said("image_blocked"))


def test_a_picture_alone_has_nothing_else_to_see_or_reach(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/cost?lang=en&figure=picture&embed=true")
    expect(page.locator(".st-key-picture .main-svg").first).to_be_visible()
    at_rest(page)
    reached = "all => all.filter(one => one.checkVisibility({ visibilityProperty: true })).map(one => one.outerHTML)"
    controls = page.get_by_test_id("stApp").locator("button, input, textarea, summary, a:not([href^='#']), h1, h2, h3")
    assert controls.evaluate_all(reached) == []
    expect(page.get_by_text(translate("alone.refused", "en"))).to_be_hidden()
    box = page.locator(".st-key-picture").bounding_box()
    assert box is not None and box["y"] < 30


@pytest.mark.slow
def test_a_picture_for_a_paper_has_the_size_that_was_asked_for(page: Page, app_url: str, tmp_path: Path) -> None:
    page.goto(f"{app_url}/explore?text=~안녕하세요,%20반갑습니다!&{_PARAMS}")
    expect(page.locator(".stBidiComponent .line text").first).to_be_visible()
    menu = _open_menu(page)
    width, letters = menu.get_by_label(_said("width")), menu.get_by_label(_said("letters"))
    before = page.locator(".st-key-picture").bounding_box()

    width.fill("19")
    _act(menu, "pdf")
    expect(menu.get_by_role("status")).to_have_text(_said("bad_size"))
    width.fill("20")
    letters.fill("24")
    _act(menu, "pdf")
    expect(menu.get_by_role("status")).to_have_text(_said("no_room"))

    menu.get_by_role("button", name=translate("share.one_column", "ko", width=84)).click()
    letters.fill("8")
    (sheet,) = pypdf.PdfReader(_saved(page, menu, "pdf", tmp_path)).pages
    assert float(sheet.mediabox.width) / 72 * 25.4 == pytest.approx(84, abs=0.01)
    assert "하세요" in sheet.extract_text()
    drawn = _outlined(_saved(page, menu, "print_svg", tmp_path))
    assert drawn.get("width") == "84mm"
    assert page.locator(".st-key-picture").bounding_box() == before

    with zipfile.ZipFile(_saved(page, menu, "package", tmp_path)) as archive:
        assert {"figure.svg", "figure.pdf", "command.sh", "method.md", "references.bib"} <= {*archive.namelist()}
        assert b"thunder-tok" in archive.read("command.sh")
        assert json.loads(archive.read("manifest.json"))["models"][0]["sha256"]
