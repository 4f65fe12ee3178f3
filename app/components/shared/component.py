"""What the components share without Streamlit: their sources put together, and data that a browser can read.

A component is a folder with its module, its script and its style sheet. Scripts of Streamlit components cannot import
each other, so the shared ones in this folder are prepended to the component's own, in one module.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.pictures.palette import BLUE, GREEN, OCHRE, PINK, VERMILLION

SHARED = Path(__file__).resolve().parent

HTML = '<div class="root"></div>'
_COLOURS = (
    f".root {{ --blue: {BLUE}; --vermillion: {VERMILLION}; --green: {GREEN}; --ochre: {OCHRE}; --pink: {PINK}; }}"
)


def script(*names: str) -> str:
    """These scripts as one JavaScript module, in this order."""
    return "\n".join(_read(name, "js") for name in names)


def style(*names: str) -> str:
    """The colours, and these style sheets, as one in this order."""
    return "\n".join([_COLOURS, *(_read(name, "css") for name in names)])


def _read(name: str, kind: str) -> str:
    shared = SHARED / f"{name}.{kind}"
    path = shared if shared.exists() else SHARED.parent / name / f"{name}.{kind}"
    return path.read_text(encoding="utf-8")


def number(value: float | None) -> float | None:
    """A number for JSON, to 9 significant digits; None for infinities and NaN, which JSON lacks."""
    return float(f"{value:.9g}") if value is not None and math.isfinite(value) else None


def require(condition: bool, message: str) -> None:
    """ValueError with the message unless the condition is true."""
    if not condition:
        raise ValueError(message)


def checked_labels(labels: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The texts of a component; ValueError where one is missing."""
    missing = [name for name in names if not labels.get(name)]
    require(not missing, f"the labels {', '.join(missing)} are missing; pass a text for each")
    return {name: labels[name] for name in names}


def check_span(begin: int, end: int, n_chars: int, what: str) -> None:
    """ValueError where the span is not within the text."""
    require(0 <= begin < end <= n_chars, f"{what} covers characters {begin} to {end} of {n_chars}; give a span inside")


def index_or_none(value: Any, size: int) -> int | None:
    """The value sent by the browser, if it is an index below `size`."""
    return value if type(value) is int and 0 <= value < size else None
