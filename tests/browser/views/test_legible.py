"""What is read and touched on a phone, in the dark: contrast, and where a finger lands."""

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from app.texts.catalogue import LANGUAGES, translate
from tests.browser.actions import PHONE, at_rest

pytestmark = pytest.mark.slow

_TOUCH = PHONE | {"has_touch": True}
_FINGER = 44

# Luminance and contrast as WCAG 2 defines them; what is transparent is painted over what is below it.
_CONTRAST = """(element) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3]));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const below = (node) => {
    const layers = [];
    for (; node; node = node.parentElement) layers.unshift(rgba(getComputedStyle(node).backgroundColor));
    return layers.reduce((painted, layer) => over(layer, painted), [255, 255, 255]);
  };
  const [own, page] = [below(element), below(element.parentElement)];
  const text = getComputedStyle(element.querySelector("p") ?? element).color;
  return [ratio(over(rgba(text), own), own), ratio(over(rgba(getComputedStyle(element).borderTopColor), page), page)];
}"""


def test_presets_stand_out(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/learn_bpe?lang=ko")
    presets = page.locator("[class*='st-key-learn_bpe-preset-'] button")
    expect(presets).not_to_have_count(0)
    at_rest(page)
    expect(presets.and_(page.get_by_role("radio", checked=True))).to_have_count(1)
    page.mouse.move(0, 0)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        at_rest(page)
        for preset in presets.all():
            text, border = preset.evaluate(_CONTRAST)
            assert text >= 4.5 and border >= 3, (scheme, preset.inner_text(), text, border)


def _boxes(places: Locator) -> list[dict[str, Any]]:
    return [box for place in places.all() if (box := place.bounding_box()) is not None]


def _assert_a_finger_hits_each(places: Locator, page: Page) -> None:
    boxes = _boxes(places)
    assert boxes
    for box in boxes:
        assert box["width"] >= _FINGER and box["height"] >= _FINGER, box
    # Neighbours of a line do not share their touch areas.
    for one, other in pairwise(boxes):
        if abs(one["y"] - other["y"]) < 1:
            assert other["x"] - one["x"] >= _FINGER - 0.5, (one, other)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


@pytest.mark.parametrize("page", [_TOUCH | {"is_mobile": True}], indirect=True)
def test_a_finger_hits_every_place_to_cut(page: Page, app_url: str) -> None:
    """In every language, which is chosen without the menu; the arrow of a list has a name in it."""
    page.goto(f"{app_url}/lessons?lang=ko")
    for lang in ("ko", "en"):
        if lang != "ko":
            page.get_by_role("radio", name=LANGUAGES[lang]).tap()
            expect(page).to_have_url(re.compile(f"lang={lang}"))
        arrow = page.locator("button[aria-haspopup=listbox]")
        expect(arrow).to_have_accessible_name(translate("streamlit.field.open", lang))
        expect(page.locator("button.place").first).to_be_visible()
        at_rest(page)
        _assert_a_finger_hits_each(page.locator("button.place"), page)
        expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")


@pytest.mark.parametrize("page", [_TOUCH], indirect=True)
def test_a_finger_hits_every_place_of_a_room(page: Page, app_url: str) -> None:
    """The phone's page with a sentence of narrow letters, told by a room that is not there."""
    told = {
        "version": 1,
        "code": "ABCD",
        "lang": "en",
        "step": "own.1",
        "open": True,
        "roam": None,
        "prompt": "Cut",
        "question": {"kind": "cuts", "text": "illicit little filling 먹었습니다"},
        "mine": None,
        "seconds": None,
    }
    page.route(re.compile("/join/state"), lambda route: route.fulfill(json=told))
    page.goto(f"{app_url}/join?room=abcdefghijkl&lang=en")
    expect(page.locator("button.place").first).to_be_visible()
    _assert_a_finger_hits_each(page.locator("button.place"), page)
    page.locator("button.place").nth(1).tap()
    expect(page.locator("button.place.cut")).to_have_count(1)
