"""The board of cuts in a browser: lambda moves the cuts there, as the engine would cut, and the link keeps it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from app.texts.catalogue import translate
from app.texts.gold import builtin_gold
from engine.boundaries.ngrams import Ngrams
from engine.boundaries.utility import UtilityMatcher
from engine.segmentation.segmenter import pieces
from tests.browser.drawn import drawn


def _board(page: Page, app_url: str, parameters: str) -> Locator:
    page.goto(f"{app_url}/boundaries?lang=en&gold=ko_nospace{parameters}")
    slider = page.get_by_role("slider", name="λ, the weight of the entropy")
    expect(slider).to_be_visible(timeout=120_000)
    return slider


def _unfold_bpe(page: Page) -> None:
    page.get_by_text(translate("boundaries.bpe", "en"), exact=True).click()


def _inside(page: Page, lam: str) -> Locator:
    """A token of the BPE that was trained inside the boundaries of this lambda."""
    name = re.compile(rf"within boundaries \(λ = {re.escape(lam)}\)")
    return page.get_by_role("button", name=name).first


@pytest.mark.slow
def test_the_cuts_follow_lambda_at_once_and_as_the_engine_cuts(page: Page, app_url: str) -> None:
    slider = _board(page, app_url, "")
    gold = builtin_gold("ko_nospace")
    sentence = "".join(gold.words[0])
    ngrams = Ngrams(gold.train, 6)
    word = page.locator(".words .word")
    runs = []
    for lam in (0.0, 0.25, 1.0, 4.0, 7.5, 15.0):
        # Without a "change" event nothing is told to the server: what moves was computed here.
        slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", lam)
        expected = pieces(sentence, UtilityMatcher(ngrams, lam).cut(sentence))
        expect(word).to_have_text(expected)
        runs.append(expected)
    assert len({tuple(run) for run in runs}) > 1
    _unfold_bpe(page)
    expect(_inside(page, "4")).to_be_visible()
    drawn(page)
    assert "lambda=" not in page.url


@pytest.mark.slow
def test_the_keyboard_moves_it_and_the_link_keeps_it(page: Page, app_url: str) -> None:
    slider = _board(page, app_url, "&lambda=2")
    _unfold_bpe(page)
    expect(_inside(page, "2")).to_be_visible()
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]lambda=2\.25"))
    expect(_inside(page, "2.25")).to_be_visible()
    page.reload()
    expect(slider).to_have_value("2.25")
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.get_by_text(re.compile("of those that begin at character ([2-9]|10):"))).to_be_visible()
