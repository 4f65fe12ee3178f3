"""Dots with intervals: every value is where the axis says."""

import re
from xml.etree import ElementTree as Xml

import pytest

from engine.pictures.dots import Dot, dots

_SVG = "{http://www.w3.org/2000/svg}"
_ROWS = [Dot("a", 2.0, 1.5, 2.5, True), Dot("b", 3.0, 2.75, 3.25), Dot("가 <b>", 2.2)]


def _ticks(picture: Xml.Element) -> dict[float, float]:
    """x of every number of the axis."""
    texts = [(node.text or "", float(node.get("x", "0"))) for node in picture.iter(f"{_SVG}text")]
    return {float(text): x for text, x in texts if re.fullmatch(r"-?[\d.]+", text)}


@pytest.mark.parametrize("width", [200, 400, 900])
@pytest.mark.parametrize("scale", [0.001, 1, 1000])
def test_values_and_ends_are_where_the_axis_says(width: float, scale: float) -> None:
    rows = [
        row._replace(value=row.value * scale, low=row.low and row.low * scale, high=row.high and row.high * scale)
        for row in _ROWS
    ]
    picture = Xml.fromstring(dots(rows, width, "t", "axis"))
    (low, x0), *_, (high, x1) = sorted(_ticks(picture).items())
    middles = [float(node.get("cx", "0")) for node in picture.iter(f"{_SVG}circle")]
    expected = [x0 + (row.value - low) / (high - low) * (x1 - x0) for row in rows]
    assert middles == pytest.approx(expected, abs=0.1)
    lines = [node for node in picture.iter(f"{_SVG}line") if node.get("stroke-width") == "2"]
    ends = [(float(node.get("x1", "0")), float(node.get("x2", "0"))) for node in lines]
    for (left, right), row in zip(ends, rows, strict=False):
        assert row.low is not None and row.high is not None
        assert left == pytest.approx(x0 + (row.low - low) / (high - low) * (x1 - x0), abs=0.1)
        assert right == pytest.approx(x0 + (row.high - low) / (high - low) * (x1 - x0), abs=0.1)


def test_equal_values_have_an_axis_too_and_groups_a_heading_each() -> None:
    picture = dots([Dot("a", 1.0, group="x"), Dot("b", 1.0, group="y")], 300, "t", "axis")
    texts = [node.text for node in Xml.fromstring(picture).iter(f"{_SVG}text")]
    assert texts.count("x") == texts.count("y") == 1 and len(_ticks(Xml.fromstring(picture))) >= 2


@pytest.mark.parametrize(
    "rows", [[], [Dot("a", float("nan"))], [Dot("a", 1.0, 1.0)], [Dot("a", 1.0, 2.0, 1.0)], [Dot("a", float("inf"))]]
)
def test_what_cannot_be_drawn_is_refused(rows: list[Dot]) -> None:
    with pytest.raises(ValueError, match=r"give at least one row|a finite value|goes up"):
        dots(rows, 300, "t", "axis")
