"""The outlines of the app's fonts, with which the browser replaces text in saved pictures: `python -m
research.shipped.outlines` stores them. Needs fonttools and brotli, which nothing else does.
"""

import gzip
import json
from pathlib import Path

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont

_FONTS = Path(__file__).resolve().parents[2] / "app" / "static" / "fonts"


def outlines(font: Path) -> dict[str, str]:
    """The path of every character, in thousandths of the type size, with y upwards."""
    opened = TTFont(font)
    glyphs, paths = opened.getGlyphSet(), {}
    assert opened["head"].unitsPerEm == 1000
    for code, name in sorted(opened.getBestCmap().items()):
        pen = SVGPathPen(glyphs, ntos=lambda value: str(round(value)))
        glyphs[name].draw(pen)
        paths[chr(code)] = pen.getCommands()
    return paths


def store() -> None:
    """Write one file for each font, beside it."""
    for font in sorted(_FONTS.glob("*.woff2")):
        written = json.dumps(outlines(font), ensure_ascii=False, separators=(",", ":"))
        font.with_suffix(".outlines").write_bytes(gzip.compress(written.encode(), 9, mtime=0))


if __name__ == "__main__":
    store()
