"""Writing SVG: shapes whose colours have names, and the picture around them.

Shapes carry their colours as plain attributes, which every program reads. A picture that follows its reader (`auto`)
has those of the light theme, and a style sheet for readers who prefer the dark.
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.pictures.palette import CODE_FONT, DARK, FONT, LIGHT, THEMES
from engine.pictures.showable import showable
from engine.pictures.text_width import shortened, text_width

# Outer margin of every picture.
MARGIN = 12

# A label of bytes: `<0xEC><0x95>`.
_BYTES = re.compile("(?:<0x[0-9A-F]{2}>)+")
_BYTE_SIZE, _DIGIT = 0.66, 0.62  # type size of bytes, and the width of a digit
# A label that does not fit is drawn smaller, at least at this share of its size; then it is shortened.
_SMALLEST = 0.7
_SPACE = 0.7  # type size of a visible space
_BASE = 0.355  # from the middle of a line of text to its base line, in type sizes


class SvgShape(NamedTuple):
    """An SVG element: `fill` and `stroke` are names of colours (engine.pictures.palette) or none, lengths are in px."""

    name: str
    attributes: dict[str, str | float]
    children: tuple["SvgShape | str", ...] = ()


def rectangle(x: float, y: float, width: float, height: float, fill: str, **more: str | float) -> SvgShape:
    """A rectangle with rounded corners; underlines in the names of attributes become hyphens."""
    radius = max(0.0, min(4.0, width / 2, height / 2))
    place: dict[str, str | float] = {"x": x, "y": y, "width": width, "height": height, "rx": radius, "fill": fill}
    return SvgShape("rect", place | {name.replace("_", "-"): value for name, value in more.items()})


def plain_text(
    text: str, x: float, y: float, size: float, room: float, weight: int = 400, fill: str = "ink", anchor: str = "start"
) -> SvgShape:
    """Text in the middle of a line at `y`; of one wider than `room` the beginning, and all of it as its title."""
    text = showable(text)
    shown = shortened(text, room, size, weight)
    return _text((shown,), text if shown != text else "", x, y, size, weight, fill, anchor)


def label(text: str, x: float, y: float, room: float, size: float, weight: int = 400) -> SvgShape:
    """A token around a place, its spaces visible and its bytes in pairs of digits.

    One wider than `room` is drawn smaller, then shortened, with all of it as its title.
    """
    text = showable(text)
    natural = label_width(text, size, weight)
    size *= min(1.0, max(_SMALLEST, room / natural)) if natural else 1.0
    fits = label_width(text, size, weight) <= room + 0.01
    if _BYTES.fullmatch(text):
        pairs = re.findall("[0-9A-F]{2}(?=>)", text)
        shown = " ".join(pairs) if fits else f"{pairs[0]}…"
        parts: tuple[SvgShape | str, ...] = (SvgShape("tspan", {"font-family": CODE_FONT}, (shown,)),)
        size *= _BYTE_SIZE
    else:
        visible = text.replace(" ", "␣")
        parts = tuple(_with_faint_spaces(visible if fits else shortened(visible, room, size, weight), size))
    return _text(parts, "" if fits else text, x, y, size, weight, "ink", "middle")


def label_width(text: str, size: float, weight: int = 400) -> float:
    """The room that a label needs to be drawn at its size."""
    text = showable(text)
    if _BYTES.fullmatch(text):
        return (len(text) // len("<0x00>") * 3 - 1) * _DIGIT * _BYTE_SIZE * size
    spaces = text.count(" ") * text_width("␣", _SPACE * size, weight)
    return text_width(text.replace(" ", ""), size, weight) + spaces


def _with_faint_spaces(text: str, size: float) -> Iterator["SvgShape | str"]:
    for part in re.split("(␣)", text):
        if part == "␣":
            yield SvgShape("tspan", {"font-size": _SPACE * size, "fill-opacity": 0.5}, (part,))
        elif part:
            yield part


def _text(
    parts: tuple["SvgShape | str", ...],
    title: str,
    x: float,
    y: float,
    size: float,
    weight: int,
    fill: str,
    anchor: str,
) -> SvgShape:
    place: dict[str, str | float] = {"x": x, "y": y + _BASE * size, "font-size": size}
    place |= {"fill": fill} if fill != "ink" else {}
    place |= {"font-weight": weight} if weight != 400 else {}
    place |= {"text-anchor": anchor} if anchor != "start" else {}
    return SvgShape("text", place, (*((SvgShape("title", {}, (title,)),) if title else ()), *parts))


def picture(
    width: float, height: float, shapes: Sequence[SvgShape], title: str, description: str = "", theme: str = "auto"
) -> str:
    """The whole picture; `title` is its name for those who do not see it, `description` says what it shows.

    Raises
    ------
    ValueError : `theme` is not one of THEMES.
    """
    if theme not in THEMES:
        raise ValueError(f"{theme!r} is no theme; choose one of: {', '.join(THEMES)}")
    writer = _SvgWriter(theme)
    paper = SvgShape("rect", {"width": width, "height": height, "fill": "paper"})
    drawn = writer.write(SvgShape("g", {"fill": "ink"}, (paper, *shapes)))
    width_, height_ = _number(width), _number(height)
    about = f"<desc>{_escaped(description)}</desc>" if description else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_}" height="{height_}" '
        f'viewBox="0 0 {width_} {height_}" role="img" font-family="{FONT}">'
        f"<title>{_escaped(title)}</title>{about}{writer.style()}{drawn}</svg>"
    )


class _SvgWriter:
    """Writes shapes in the colours of a theme."""

    def __init__(self, theme: str) -> None:
        self._is_auto = theme == "auto"
        self._colours = DARK if theme == "dark" else LIGHT
        self._used: set[tuple[str, str]] = set()

    def style(self) -> str:
        """The dark colours of what has been written, for readers who prefer them.

        A class means the same in every picture: several may be parts of one page.
        """
        if not self._is_auto:
            return ""
        rules = "".join(f".{_class(what, name)}{{{what}:{DARK[name]}}}" for what, name in sorted(self._used))
        return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"

    def write(self, shape: SvgShape | str) -> str:
        """An element, or a text."""
        if isinstance(shape, str):
            return _escaped(shape)
        inner = "".join(map(self.write, shape.children))
        return f"<{shape.name}{self._attributes(shape)}" + (f">{inner}</{shape.name}>" if inner else "/>")

    def _attributes(self, shape: SvgShape) -> str:
        values = {name: value if isinstance(value, str) else _number(value) for name, value in shape.attributes.items()}
        painted = {(what, values[what]) for what in ("fill", "stroke") if values.get(what, "none") != "none"}
        values |= {what: self._colours[name] for what, name in painted}
        if self._is_auto and painted:
            self._used |= painted
            values["class"] = " ".join(_class(what, name) for what, name in sorted(painted))
        return "".join(f' {name}="{html.escape(value)}"' for name, value in values.items())


def _class(what: str, name: str) -> str:
    return f"tt-{what}-{name}"


def _number(value: float) -> str:
    """At most two decimals, without trailing zeros."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    return html.escape(showable(text), quote=False)
