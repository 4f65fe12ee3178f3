"""The components in a browser: click and keyboard, lines, themes, hostile text, steps without a round trip."""

import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.drawn import boxes, drawn, expect_no_sideways_scroll
from tests.conftest import ROOT, wait_until

DEMO = Path(__file__).resolve().parent / "demo_components.py"
NARROW: dict[str, ViewportSize] = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the page with the components; it runs in a folder without the app's configuration and fonts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("demo")
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "viewer",
        "runner.magicEnabled": "false",
    }
    flags = [f"--{key}={value}" for key, value in options.items()]
    command = [sys.executable, "-m", "streamlit", "run", str(DEMO), *flags]
    log_path = folder / "log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        if server.poll() is not None:
            pytest.fail(f"the server ended: {log_path.read_text(errors='replace')[-3000:]}")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    try:
        wait_until(answers)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)
    assert "Traceback" not in log_path.read_text(errors="replace"), log_path.read_text(errors="replace")[-3000:]


@pytest.fixture
def show(page: Page, demo_url: str) -> Callable[[str], Locator]:
    """`show("lattice")` opens the page with that component and returns its root."""

    def open_page(name: str) -> Locator:
        page.goto(f"{demo_url}/?show={name}")
        root = page.locator(".stBidiComponent .root")
        expect(root.locator("svg, h3").first).to_be_visible()
        # A font that comes later is a reason to measure, and draw, again.
        page.evaluate("() => document.fonts.ready.then(() => true)")
        drawn(page)
        return root

    return open_page


def _tab_into(page: Page, root: Locator) -> None:
    """The tab stop of the drawing, after the buttons of its legend."""
    for _ in range(15):
        page.keyboard.press("Tab")
        if root.locator("[data-item]:focus").count():
            return
    pytest.fail("no tab stop in the component")


def _expect_focus(root: Locator, item: str) -> None:
    expect(root.locator(f"[data-item='{item}']")).to_be_focused()


# ---- lattice


def test_a_click_reaches_python_and_is_drawn_as_selected(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    root.locator("[data-arc='3']").click()
    expect(page.get_by_text("picked 3, kept 3")).to_be_visible()
    expect(root.locator("[data-item='3']")).to_have_attribute("aria-pressed", "true")
    root.locator("[data-arc='1']").click()
    expect(page.get_by_text("picked 1, kept 1")).to_be_visible()
    expect(root.locator("[aria-pressed=true]")).to_have_count(1)


def test_bars_stand_where_their_meaning_is(show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    ys = [box["y"] for box in boxes(root, *(f".arc.{kind}[data-item] .shape" for kind in ("best", "runner", "other")))]
    assert ys == sorted(ys) and len(set(ys)) == 3
    expect(root.locator(".arc.runner[data-item] .inner")).to_have_count(2)
    expect(root.locator("[data-item] .fewest")).to_have_count(6)
    expect(root.locator(".bar-tools")).to_contain_text("fewest")
    expect(root.locator("[data-arc='10'] .hex")).to_have_text("EBB781")
    expect(root.locator(".bar-tools")).to_contain_text("11 of 11")


def test_the_lattice_by_keyboard(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    _tab_into(page, root)
    _expect_focus(root, "1")
    expect(root.locator(".tip")).to_be_visible()
    expect(root.locator(".tip")).to_contain_text("1.50 nat")
    page.keyboard.press("ArrowRight")
    _expect_focus(root, "4")
    page.keyboard.press("ArrowDown")
    _expect_focus(root, "3")
    page.keyboard.press("Enter")
    expect(page.get_by_text("picked 3, kept 3")).to_be_visible()
    drawn(page)
    _expect_focus(root, "3")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    _expect_focus(root, "10")
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.get_by_text("picked 1, kept 1")).to_be_visible()
    page.keyboard.press("Escape")
    expect(root.locator(".tip")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(root.locator("[data-item]:focus")).to_have_count(0)


def test_the_pointer_shows_a_tip_and_the_characters(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    root.locator("[data-arc='6']").hover()
    expect(root.locator(".tip")).to_contain_text("␣피었다.")
    expect(root.locator(".tip")).to_contain_text("−7.25 nat")
    expect(root.locator(".marks rect")).to_have_count(1)
    page.mouse.move(2, 2)
    expect(root.locator(".tip")).to_be_hidden()


@pytest.mark.parametrize("page", [NARROW], indirect=True)
def test_lines_fit_a_phone_and_tear_only_where_they_must(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    expect(root.locator(".line").first).to_be_visible()
    assert page.viewport_size
    ends = root.locator("svg").evaluate_all("all => all.map((svg) => svg.getBoundingClientRect().right)")
    assert max(ends) <= page.viewport_size["width"]
    expect(root.locator("[data-arc='6']")).to_have_count(1)
    root = show("long")
    n_lines = root.locator(".line").count()
    assert n_lines > 3
    expect(root.locator("[data-arc='0']")).to_have_count(n_lines)
    expect(root.locator("[data-arc='0'][data-item]")).to_have_count(1)
    expect(root.locator("[data-arc='0'] text").first).to_have_text(re.compile("^가나.*…$"))
    expect_no_sideways_scroll(page)
    root.locator("[data-arc='0']").last.click()
    expect(page.get_by_text("picked 0, kept 0")).to_be_visible()


def test_the_width_may_change(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("long")
    wide = root.locator(".line").count()
    page.set_viewport_size({"width": 500, "height": 900})
    expect(root.locator(".line")).not_to_have_count(wide)
    expect_no_sideways_scroll(page)


def test_larger_and_smaller(show: Callable[[str], Locator]) -> None:
    root = show("long")
    (before,) = boxes(root, "[data-item='1'] .shape")
    root.get_by_role("button", name="larger").click()
    wait_until(lambda: boxes(root, "[data-item='1'] .shape")[0]["height"] > before["height"])


def test_the_theme_changes_without_a_new_drawing(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("lattice")
    character = root.locator(".characters text").first
    character.evaluate("element => { element.kept = true }")
    light = character.evaluate("element => getComputedStyle(element).fill")
    page.emulate_media(color_scheme="dark")
    expect(character).not_to_have_css("fill", light)
    assert character.evaluate("element => element.kept") is True


# ---- hostile text


@pytest.mark.parametrize("name", ["lattice", "strip", "stepper"])
def test_hostile_text_is_text(page: Page, show: Callable[[str], Locator], name: str) -> None:
    root = show(name)
    if name == "stepper":
        root.get_by_role("slider").press("End")
    shown = {"lattice": "[data-arc='8']", "strip": "[data-item='0.1']", "stepper": ".plain"}[name]
    expect(root.locator(shown).first).to_contain_text("<b>" if name == "strip" else "<img")
    expect(root.locator("img, b")).to_have_count(0)
    expect(page).to_have_title("components")


# ---- strip


def test_the_strip_tells_python_row_and_token(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("strip")
    root.locator("[data-token='1.2']").click()
    expect(page.get_by_text("picked (1, 2)")).to_be_visible()
    expect(root.locator("[data-item='1.2']")).to_have_attribute("aria-pressed", "true")


def test_parts_of_a_character_share_its_column_under_a_bracket(show: Callable[[str], Locator]) -> None:
    root = show("strip")
    whole, first, second = boxes(root, *(f"[data-token='{name}'] .shape" for name in ("0.0", "1.0", "1.1")))
    assert first["x"] == pytest.approx(whole["x"], abs=3)
    assert second["x"] + second["width"] == pytest.approx(whole["x"] + whole["width"], abs=3)
    assert first["x"] + first["width"] <= second["x"] + 4
    expect(root.locator("[data-token='1.0'] .hex")).to_have_text("EC83")
    expect(root.locator(".bracket")).to_have_count(1)
    expect(root.locator("[data-token='0.0'] .ring")).to_have_count(1)
    expect(root.locator("[data-token='0.0'] .mark")).to_have_text("≠")


def test_rings_show_in_the_row_that_is_pointed_at_or_in_focus(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("strip")
    ring, mark = root.locator("[data-token='0.0'] .ring"), root.locator("[data-token='0.0'] .mark text")
    expect(ring).to_be_hidden()
    root.locator("[data-token='0.1']").hover()
    expect(ring).to_be_visible()
    expect(mark).to_be_visible()
    root.locator("[data-token='1.0']").hover()
    expect(ring).to_be_hidden()
    page.mouse.move(0, 0)
    root.locator("[data-item='0.1']").focus()
    expect(ring).to_be_visible()


def test_morphemes_stand_below_and_as_a_line_under_every_strip(show: Callable[[str], Locator]) -> None:
    root = show("strip")
    expect(root.locator("[data-token='3.1']")).to_contain_text("SL+<i>")
    expect(root.locator("[data-token='0.1'].class.morpheme")).to_have_count(1)
    # Of two morphemes, under two tokenizers; the layer has none.
    expect(root.locator(".underline")).to_have_count(4)
    strip, line, row = boxes(root, "[data-token='0.1'] .shape", ".underline.both", "[data-token='3.1'] .shape")
    assert strip["y"] + strip["height"] <= line["y"] + 1 < row["y"]
    assert line["x"] == pytest.approx(row["x"], abs=3) and line["width"] == pytest.approx(row["width"], abs=5)


def test_the_strip_by_keyboard(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("strip")
    _tab_into(page, root)
    _expect_focus(root, "0.0")
    page.keyboard.press("ArrowRight")
    _expect_focus(root, "0.1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(root.locator("[data-item^='2.']:focus")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    _expect_focus(root, "1.0")
    page.keyboard.press("Enter")
    expect(page.get_by_text("picked (1, 0)")).to_be_visible()
    drawn(page)
    _expect_focus(root, "1.0")


@pytest.mark.parametrize("page", [NARROW], indirect=True)
def test_the_strip_on_a_phone_names_its_rows_above_them(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("strip")
    name, bar = boxes(root, ".row-name", "[data-token='0.0'] .shape")
    assert name["bottom"] <= bar["y"] + 4
    expect_no_sideways_scroll(page)
    sides = "all => all.map((token) => token.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    assert all(left >= 0 and right <= 360 for left, right in root.locator("[data-item]").evaluate_all(sides))


# ---- steps


def test_viterbi_steps_fill_the_cells_and_trace_the_path(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("viterbi")
    known, said = root.locator(".cell.known"), root.locator(".said")
    expect(known).to_have_count(1)
    step = root.get_by_role("button", name="step", exact=True)
    step.click()
    step.click()
    expect(said).to_have_text("cell 2: 가나 with −3.00")
    expect(known).to_have_count(3)
    expect(root.locator("tr.winner")).to_have_text(re.compile("가나.*0.000.*−3.000.*= −3.000.*✓ winner"))
    step.click()
    expect(said).to_have_text("cell 3: 나다 with −5.00, a tie")
    expect(root.locator("tr.tie")).to_contain_text("= tie")
    expect(root.locator(".arch.current")).to_have_count(1)
    root.get_by_role("button", name="back").click()
    expect(known).to_have_count(3)
    root.get_by_role("slider").press("End")
    expect(said).to_have_text("2 tokens, −5.00")
    expect(root.locator(".cell.path")).to_have_count(3)
    expect(root.locator(".arch.path")).to_have_count(2)
    expect(step).to_have_attribute("aria-disabled", "true")
    root.get_by_role("button", name="reset").click()
    expect(known).to_have_count(1)


def test_steps_run_in_the_browser_alone(page: Page, demo_url: str) -> None:
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.goto(f"{demo_url}/?show=viterbi")
    root = page.locator(".stBidiComponent .root")
    expect(root.locator(".cell").first).to_be_visible()
    drawn(page)
    before = len(sent)
    root.get_by_label("speed").select_option("4")
    # Clicked and read at once: on a slow machine the run may be over before the next look.
    runner = root.get_by_role("button", name="run")
    assert runner.evaluate("button => { button.click(); return button.title }") == "pause"
    expect(root.locator(".said")).to_have_text("2 tokens, −5.00")
    expect(root.get_by_role("button", name="run")).to_be_visible()
    assert len(sent) == before


def test_the_player_by_keyboard(page: Page, show: Callable[[str], Locator]) -> None:
    root = show("stepper")
    stage, title = root.locator(".stage"), root.locator("h3")
    stage.focus()
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text("Merge")
    page.keyboard.press("End")
    expect(title).to_have_text("End")
    page.keyboard.press("ArrowLeft")
    expect(title).to_have_text("Merge")
    page.keyboard.press("Home")
    expect(title).to_have_text("Count")
    page.keyboard.press(" ")
    expect(title).to_have_text("End")
    expect(root.locator(".counter")).to_have_text("2 of 2")


def test_the_player_is_no_taller_than_its_steps_at_the_width_of_the_window(
    page: Page, show: Callable[[str], Locator]
) -> None:
    size = page.viewport_size
    assert size is not None

    def height() -> float:
        return (page.locator(".stage").bounding_box() or {})["height"]

    show("stepper")
    wide = height()
    page.set_viewport_size(NARROW["viewport"])
    show("stepper")
    assert height() > wide
    page.set_viewport_size(size)
    wait_until(lambda: height() == wide)


def test_marks_are_signs_and_words_as_well_as_colours(show: Callable[[str], Locator]) -> None:
    root = show("stepper")
    expect(root.locator("tr.chosen .sign")).to_have_text("▸")
    expect(root.locator("tr.chosen .unseen")).to_have_text("mark chosen")
    expect(root.locator(".chip.new .sign")).to_have_text("+")
    expect(root.locator(".chip .mono")).to_have_text("EC")
    expect(root.locator("td.number").last).to_have_text("−7.5")
    expect(root.locator(".length")).to_have_attribute("style", re.compile("width: 90%"))
