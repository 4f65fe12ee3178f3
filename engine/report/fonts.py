"""The project's fonts as files that programs other than browsers read."""

import io
from functools import cache
from pathlib import Path

from engine.machine.atomic_file import write_whole
from engine.machine.folders import safe_cache_folder

# The app serves them to browsers from here.
FOLDER = Path(__file__).resolve().parents[2] / "app" / "static" / "fonts"
FAMILY = "Noto Sans CJK KR"  # as the font files call it
REGULAR, BOLD, HAN = "NotoSansKR-Regular", "NotoSansKR-Bold", "NotoSansSC-Regular"


@cache
def font_file(name: str) -> Path:
    """The path of a font, unpacked from WOFF2."""
    from fontTools.ttLib import TTFont  # a figure needs it, and no command that draws none

    path = safe_cache_folder("fonts") / f"{name}.otf"
    if not path.exists():
        font, unpacked = TTFont(FOLDER / f"{name}.woff2"), io.BytesIO()
        font.flavor = None
        font.save(unpacked)
        write_whole(path, unpacked.getvalue())
    return path


@cache
def font_files() -> tuple[Path, ...]:
    """All of them: Hangul and Latin in two weights, Han characters and kana."""
    return tuple(font_file(name) for name in (REGULAR, BOLD, HAN))
