"""The outlines of the app's fonts, with which the browser replaces text in saved pictures: `python -m
research.shipped.outlines` stores them.
"""

import gzip
import json

from engine.report.figure import outlines
from engine.report.fonts import BOLD, FOLDER, HAN, REGULAR


def store() -> None:
    """Write one file for each font, beside it."""
    for name in (REGULAR, BOLD, HAN):
        written = json.dumps(outlines(name), ensure_ascii=False, separators=(",", ":"))
        (FOLDER / f"{name}.outlines").write_bytes(gzip.compress(written.encode(), 9, mtime=0))


if __name__ == "__main__":
    store()
