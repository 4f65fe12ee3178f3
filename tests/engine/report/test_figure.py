"""Figures for papers: as wide as asked for, letters of the size asked for, Hangul that can be read and searched."""

import io
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pypdf
import pytest

from engine.cli import main
from engine.errors import InputError
from engine.pictures.bars import CountBar, bars
from engine.pictures.strip import CHIP_LETTERS, Chip, ChipRow, strip
from engine.report.figure import Figure, figure_pdf, figure_svg, outlined, svg_pdf, write_figure
from engine.report.size import FigureSize

_SVG = "{http://www.w3.org/2000/svg}"
_MM_PER_PT = 25.4 / 72
_WORDS = ["철수는", " 학교에", " 갔다", ".", "<0xEC>"]
_ROWS = [ChipRow("Thunder-Tok", [Chip(word) for word in _WORDS])]
FIGURE = Figure(lambda width: strip(_ROWS, width, "light"), CHIP_LETTERS, "토큰")


def _page(pdf: bytes) -> pypdf.PageObject:
    (page,) = pypdf.PdfReader(io.BytesIO(pdf)).pages
    return page


@pytest.mark.parametrize(("width", "letters"), [(84, 8), (174, 8), (60, 10), (500, 24), (20, 4)])
def test_a_pdf_is_as_wide_as_asked_for_and_its_letters_are_as_large(width: float, letters: float) -> None:
    page = _page(figure_pdf(FIGURE, FigureSize(width, letters)))
    assert float(page.mediabox.width) * _MM_PER_PT == pytest.approx(width, abs=0.01)
    sizes: dict[str, float] = {}

    def note(text: str, outer: list[float], inner: list[float], _: object, size: float) -> None:
        sizes[text.strip()] = size * abs(inner[0] * outer[0])

    page.extract_text(visitor_text=note)
    assert sizes["철"] == pytest.approx(letters, rel=0.01)


def test_a_pdf_has_its_hangul_as_text_and_its_fonts_inside() -> None:
    reader = pypdf.PdfReader(io.BytesIO(figure_pdf(FIGURE, FigureSize(84, 8))))
    (page,) = reader.pages
    text = page.extract_text()
    assert all(word.strip() in text for word in ("철수는", "학교에", "갔다", "Thunder-Tok"))
    assert reader.metadata is not None and reader.metadata.title == "토큰"
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        (below,) = font["/DescendantFonts"]
        assert "/FontFile3" in below.get_object()["/FontDescriptor"] or "/FontFile2" in below["/FontDescriptor"]


def test_a_wider_page_is_laid_out_anew() -> None:
    narrow, wide = (_page(figure_pdf(FIGURE, FigureSize(width, 8))).mediabox for width in (40, 160))
    assert float(narrow.height) > float(wide.height)  # the tokens are broken into more lines


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert figure_pdf(FIGURE, FigureSize()) == figure_pdf(FIGURE, FigureSize())
    assert figure_svg(FIGURE, FigureSize()) == figure_svg(FIGURE, FigureSize())


def test_an_svg_is_in_millimetres_and_has_outlines_in_place_of_letters() -> None:
    picture = Xml.fromstring(figure_svg(FIGURE, FigureSize(84, 8)))
    _, _, width, height = map(float, str(picture.get("viewBox")).split())
    assert picture.get("width") == "84mm"
    assert float(str(picture.get("height")).removesuffix("mm")) == pytest.approx(84 * height / width, abs=0.01)
    assert not list(picture.iter(f"{_SVG}text"))
    known = {f"#{path.get('id')}" for path in picture.iter(f"{_SVG}path")}
    used = [use.get("{http://www.w3.org/1999/xlink}href") for use in picture.iter(f"{_SVG}use")]
    assert set(used) == known and used.count(f"#r{ord('에'):x}") == 1


def test_a_character_that_no_font_has_stays_text() -> None:
    picture = outlined(
        bars([CountBar("😀", 1), CountBar("漢", 1), CountBar("x</text><script>", 2)], 300, "t", theme="light")
    )
    left = [node.text for node in Xml.fromstring(picture).iter(f"{_SVG}text")]
    assert left == ["😀"] and "<script" not in picture


def test_outlines_are_as_wide_as_the_font_says() -> None:
    """Anchors are kept: a text that ends at x ends there."""
    text = '<text x="100" y="50" font-size="10" text-anchor="end">가가</text>'
    moves = re.findall(
        r"matrix\(0.01 0 0 -0.01 ([\d.]+) 50\)", outlined(f'<svg xmlns="{_SVG[1:-1]}"><title>t</title>{text}</svg>')
    )
    assert [float(x) for x in moves] == pytest.approx([100 - 2 * 9.2, 100 - 9.2])


@pytest.mark.parametrize(
    ("width", "letters", "code"),
    [
        (19.9, 8, "width"),
        (500.1, 8, "width"),
        (float("nan"), 8, "width"),
        (float("inf"), 8, "width"),
        (84, 3.9, "letters"),
        (84, 24.1, "letters"),
        (84, -1, "letters"),
        (20, 24, "room"),
    ],
)
def test_a_size_out_of_bounds_is_refused(width: float, letters: float, code: str) -> None:
    with pytest.raises(InputError) as refused:
        FigureSize(width, letters)
    assert refused.value.code == f"report.{code}"


def _linking(address: str) -> bytes:
    image = f'<image href="{address}" width="9" height="9"/>'
    return f'<svg xmlns="{_SVG[1:-1]}" width="9" height="9">{image}</svg>'.encode()


@pytest.mark.parametrize(
    "svg",
    [b"", b"<svg", b"\xff\xfe<svg/>", *map(_linking, ("file:///etc/passwd", "NotoSansKR-Regular.otf", "../../x.png"))],
)
def test_what_is_no_picture_or_asks_for_files_is_refused(svg: bytes) -> None:
    with pytest.raises(InputError) as refused:
        svg_pdf(svg, 84, "t")
    assert refused.value.code == "report.svg"


def test_without_the_package_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(InputError) as refused:
        write_figure(tmp_path / "a.pdf", FIGURE, FigureSize())
    assert refused.value.code == "report.typst" and "thunder-tok-explorer[export]" in str(refused.value)
    write_figure(tmp_path / "a.svg", FIGURE, FigureSize())
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--figure", "a.png"], ".svg or .pdf"),
        (["--figure", "a.pdf", "--width", "10"], "20 to 500 mm"),
        (["--figure", "a.pdf", "--letters", "30"], "4 to 24 pt"),
    ],
)
def test_a_command_refuses_a_figure_before_it_computes(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fertility", "--model", "missing.tok", "--text", "missing.txt", *arguments]) == 2
    assert said in capsys.readouterr().err
