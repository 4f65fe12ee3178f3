"""Pictures as SVG: valid and complete for any text, within their bounds, in the app's colours, the same every time."""

import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ImageFont

from app.components.sources import style
from engine.measure.morphemes.token_classes import CLASSES
from engine.pictures.bars import CountBar, bars
from engine.pictures.lattice import CandidateBox, lattice
from engine.pictures.palette import BLUE, DARK, FONT, LIGHT, contrast, mixed
from engine.pictures.showable import showable
from engine.pictures.strip import KINDS, Chip, ChipRow, strip
from engine.pictures.svg import plain_text
from engine.pictures.text_width import shortened, text_width
from tests.conftest import ROOT

_SVG = "{http://www.w3.org/2000/svg}"
_HOSTILE = "<b>&amp;\"'\x00\x08\ud800\ufffd\uffff\u202e]]>{}가\n"
_texts = st.text(max_size=30) | st.sampled_from([_HOSTILE, "", " ", "가" * 300, "<0xEC><0x95>" * 20])
_widths = st.sampled_from([200, 390, 760, 1440])
_themes = st.sampled_from(["light", "dark", "auto"])
_few = settings(max_examples=40)
_chips = st.lists(st.builds(Chip, _texts, st.sampled_from(KINDS)), max_size=8)
_strip_rows = st.lists(st.builds(ChipRow, _texts, _chips, _texts), max_size=3)
_bar_rows = st.lists(
    st.builds(
        lambda name, parts, note, shown: CountBar(name, len(parts), note, parts, shown),
        _texts,
        st.lists(_texts, max_size=8),
        _texts,
        st.sampled_from(["", "0.5"]),
    ),
    max_size=3,
)


@st.composite
def _lattices(draw: Any) -> tuple[list[str], list[CandidateBox]]:
    characters = draw(st.lists(st.characters() | st.just("가"), min_size=1, max_size=25))
    spans = st.tuples(st.integers(0, len(characters) - 1), st.integers(1, 12))
    boxes = st.builds(
        lambda text, span, share, best: CandidateBox(text, span[0], min(sum(span), len(characters)), share, best),
        _texts,
        spans,
        st.floats(0, 1),
        st.booleans(),
    )
    return characters, draw(st.lists(boxes, max_size=10))


def _shown(text: ET.Element) -> str:
    """What is drawn of a text."""
    parts = ("" if part.tag == f"{_SVG}title" else "".join(part.itertext()) for part in text)
    return "".join([text.text or "", *(inner + (part.tail or "") for part, inner in zip(text, parts, strict=True))])


def _texts_of(svg: str) -> list[str]:
    """Every text; one that is shortened has all of it as its title."""
    texts = ET.fromstring(svg).iter(f"{_SVG}text")
    return [_shown(text) if text.find(f"{_SVG}title") is None else text.findtext(f"{_SVG}title", "") for text in texts]


def _seen(text: str) -> str:
    """A label as it is written: spaces and bytes are made visible."""
    text = showable(text)
    is_bytes = re.fullmatch("(<0x[0-9A-F]{2}>)+", text)
    return " ".join(re.findall("<0x(..)>", text)) if is_bytes else text.replace(" ", "␣")


def _assert_sound(svg: str, title: str = "t", description: str = "d") -> None:
    root = ET.fromstring(svg)
    assert ("\ufffd" not in svg and "class=" not in svg) or "prefers-color-scheme" in svg
    assert root.get("role") == "img"
    assert [root[0].tag, root[0].text] == [f"{_SVG}title", showable(title) or None]
    assert root.findtext(f"{_SVG}desc", "") == showable(description)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for shape in root.iter(f"{_SVG}rect"):
        x, y = float(shape.get("x", 0)), float(shape.get("y", 0))
        assert x >= 0 and x + float(shape.get("width", "")) <= width + 0.1
        assert y >= 0 and y + float(shape.get("height", "")) <= height + 0.1
    for text in root.iter(f"{_SVG}text"):
        _assert_inside(text, width, height)


def _assert_inside(text: ET.Element, width: float, height: float) -> None:
    shown, size = _shown(text), float(text.get("font-size", ""))
    assert 0 <= float(text.get("y", "")) <= height and size >= 6.5
    if len(shown) > 2:  # an ellipsis after a letter may be wider than the narrowest box
        own = text_width(shown.replace("␣", ""), size, int(text.get("font-weight", 400)))
        before = {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")] * own
        x = float(text.get("x", ""))
        assert x - before >= -1 and x - before + own <= width + 1, shown


@_few
@given(_strip_rows, _widths, _themes)
def test_a_strip_holds_every_token(rows: list[ChipRow], width: int, theme: str) -> None:
    svg = strip(rows, width, theme)
    _assert_sound(svg, "Tokens", "")
    texts = _texts_of(svg)
    for row in rows:
        assert showable(row.name) in texts
        for chip in row.chips:
            assert _seen(chip.label) in texts or showable(chip.label) in texts
    assert strip(rows, width, theme) == svg


@_few
@given(_bar_rows, _widths, _themes)
def test_bars_hold_names_notes_and_counts(rows: list[CountBar], width: int, theme: str) -> None:
    svg = bars(rows, width, "t", "d", theme)
    _assert_sound(svg)
    texts = _texts_of(svg)
    for row in rows:
        assert {showable(row.name), row.shown or str(row.count)} <= set(texts)
        assert not row.note or showable(row.note) in texts
    assert bars(rows, width, "t", "d", theme) == svg


@_few
@given(_lattices(), _widths, _themes)
def test_a_lattice_holds_every_candidate(
    sentence: tuple[list[str], list[CandidateBox]], width: int, theme: str
) -> None:
    characters, boxes = sentence
    svg = lattice(characters, boxes, width, theme)
    _assert_sound(svg, "Lattice", "")
    texts = _texts_of(svg)
    for character in characters:
        assert _seen(character) in texts
    torn = sum("…" in text for text in texts)
    missing = [box for box in boxes if _seen(box.label) not in texts and showable(box.label) not in texts]
    assert torn >= 2 * len(missing) - len(texts) and (torn or not missing)


def test_the_best_path_is_the_first_row_and_no_boxes_overlap() -> None:
    boxes = [CandidateBox("가나", 0, 2, 0.9, True), CandidateBox("다", 2, 3, 1, True)]
    boxes += [CandidateBox("가", 0, 1, 0.1), CandidateBox("나", 1, 2, 0.1), CandidateBox("나다", 1, 3, 0.01)]
    root = ET.fromstring(lattice(list("가나다"), boxes, 400))
    rows: dict[str, list[tuple[float, float, str]]] = {}
    for shape in root.iter(f"{_SVG}rect"):
        if shape.get("fill-opacity"):
            place = (float(shape.get("x", "")), float(shape.get("width", "")), shape.get("fill", ""))
            rows.setdefault(shape.get("y", ""), []).append(place)
    first, second, third = (sorted(row) for row in rows.values())
    assert len(first) == len(second) == 2 and len(third) == 1
    assert {fill for *_, fill in first} == {LIGHT["best"]} and {fill for *_, fill in second + third} == {LIGHT["blue"]}
    assert all(x + width <= after for (x, width, _), (after, *_) in [(first[0], first[1]), (second[0], second[1])])


def test_a_line_is_broken_where_nothing_is_torn() -> None:
    text = "가나 다라 " * 12
    boxes = [CandidateBox(f"{word}", k * 3, k * 3 + 2, 1, True) for k, word in enumerate(text.split())]
    svg = lattice(list(text), boxes, 390)
    assert "…" not in svg and svg.count(">가나<") == 12 == svg.count(">다라<")


def test_bars_are_as_long_as_their_counts_and_their_counts_the_largest() -> None:
    rows = [CountBar("a", 6, "n", "abcdef"), CountBar("b", 3), CountBar("c", 0)]
    root = ET.fromstring(bars(rows, 500, "t"))
    shapes = list(root.iter(f"{_SVG}rect"))[1:]
    parts, (whole, nothing) = shapes[:6], shapes[6:]
    length = float(parts[-1].get("x", "")) + float(parts[-1].get("width", "")) - float(parts[0].get("x", ""))
    assert length == pytest.approx(2 * float(whole.get("width", "")), abs=3) and float(nothing.get("width", "")) <= 2
    texts = {"".join(text.itertext()): float(text.get("font-size", "")) for text in root.iter(f"{_SVG}text")}
    assert {texts["6"], texts["3"], texts["0"]} == {max(texts.values())} and texts["6"] > 1.5 * texts["a"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: strip([ChipRow("a", [Chip("a", "odd")])], 300),
        lambda: strip([], 300, "blue"),
        lambda: bars([CountBar("a", -1)], 300, "t"),
        lambda: bars([CountBar("a", float("nan"))], 300, "t"),
        lambda: bars([CountBar("a", 2, parts=["a"])], 300, "t"),
        lambda: lattice(["a"], [CandidateBox("a", 0, 2, 0.5)], 300),
        lambda: lattice(["a"], [CandidateBox("a", 0, 1, 1.5)], 300),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], str]) -> None:
    with pytest.raises(ValueError, match=r"needs|no kind|no theme"):
        draw()


def test_titles_and_descriptions_are_escaped() -> None:
    _assert_sound(bars([], 300, _HOSTILE, _HOSTILE), _HOSTILE, _HOSTILE)


def test_a_sentence_is_small() -> None:
    rows = [ChipRow("GPT-4", [Chip("<0xEC><0x95>", "fallback")] * 200), ChipRow("b", [Chip("하세요")] * 100)]
    assert len(strip(rows, 760).encode()) < 100_000


def test_a_picture_without_a_theme_has_the_light_colours_and_the_dark_ones_on_demand() -> None:
    rows = [CountBar("a", 2, "n", "ab")]
    auto, light, dark = (bars(rows, 400, "t", theme=theme) for theme in ("auto", "light", "dark"))
    assert re.sub(' class="[^"]*"|<style>.*</style>', "", auto) == light
    assert "class=" not in light + dark and "<style>" not in light + dark
    style_sheet = re.search("<style>(.*)</style>", auto)
    assert style_sheet is not None
    for what, name, colour in re.findall(r"\.tt-(fill|stroke)-(\w+)\{\w+:(#\w+)\}", style_sheet[1]):
        assert colour == DARK[name] and f'{what}="{LIGHT[name]}"' in light and f'{what}="{colour}"' in dark
    assert set(re.findall(r"tt-\w+-\w+", auto.replace(style_sheet[0], ""))) == set(
        re.findall(r"tt-\w+-\w+", style_sheet[0])
    )
    assert "script" not in auto


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_and_lines_stand_out(colours: dict[str, str]) -> None:
    boxes = ["paper", "even", "odd", *CLASSES]
    assert min(contrast(colours["ink"], colours[name]) for name in boxes) >= 4.5
    assert contrast(colours["faint"], colours["paper"]) >= 4.5
    edges = ("outline", "blue_line", "best_line")
    assert min(contrast(colours[name], colours["paper"]) for name in edges) >= 3
    # The boxes of a lattice at their strongest.
    for name in ("best", "blue"):
        assert contrast(colours["ink"], mixed(colours[name], 62, colours["paper"])) >= 4.5


def test_colours_and_fonts_are_those_of_the_app() -> None:
    settings = tomllib.loads((ROOT / "app" / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["theme"]["font"] == FONT
    assert settings["theme"]["chartCategoricalColors"][0] == BLUE
    sheet = style("base", "strip")
    assert f"--blue: {BLUE};" in sheet
    for name, part in re.findall(
        r"\.token\.(even|odd) \.shape \{\s*fill: color-mix\(in srgb, ([^,]+), var\(--paper\)", sheet
    ):
        colour, percent = part.split()
        ink = {"var(--blue)": BLUE, "var(--ink)": LIGHT["ink"]}[colour]
        assert LIGHT[name] == mixed(ink, float(percent.rstrip("%")), LIGHT["paper"])
    assert set(CLASSES) < set(KINDS) and set(CLASSES) < set(LIGHT)


@pytest.mark.parametrize(("weight", "name"), [(400, "Regular"), (700, "Bold")])
def test_widths_are_close_to_those_of_the_font(weight: int, name: str) -> None:
    font = ImageFont.truetype(str(ROOT / "app" / "static" / "fonts" / f"NotoSansKR-{name}.woff2"), 100)
    for char in [*map(chr, range(33, 127)), *"가뷁ㄱㅏ…–—’“한"]:
        assert font.getlength(char) - 5 <= text_width(char, 100, weight), char
    for text in ("Hello, how are you?", "안녕하세요, 잘 지내세요?", "Thunder-Tok 32k, 한국어만 학습"):
        assert font.getlength(text) == pytest.approx(text_width(text, 100, weight), rel=0.08)


@given(_texts, st.floats(0, 500))
def test_a_shortened_text_is_a_beginning(text: str, room: float) -> None:
    text = showable(text)
    short = shortened(text, room, 14)
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))
    assert short in (text, "…") or text_width(short, 14) <= room + 0.01
    assert plain_text(text, 0, 0, 14, room).name == "text"
