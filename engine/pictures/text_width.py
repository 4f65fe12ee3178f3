"""How wide a text is, estimated from the font that the app comes with: there is no browser to measure it."""

import unicodedata
from functools import cache
from itertools import accumulate, islice

from engine.pictures.showable import showable

# Characters by their width, in shares of the type size.
_WIDTHS = (
    (0.28, " ',.:;ijl|I’‘·"),
    (0.4, "!f()[]{}-t/\\r"),
    (0.51, '"*?szxc“”␣'),
    (0.57, "vyYJLFek#$+0123456789<=>^_ag~–VX"),
    (0.63, "ESTZA`hnoubdpqP"),
    (0.69, "CRKB&DG"),
    (0.75, "NUHOQ"),
    (0.82, "wM"),
    (0.95, "W%m@—"),
)
_LATIN = {char: width for width, chars in _WIDTHS for char in chars}
_HANGUL, _WIDE, _EMOJI, _OTHER = 0.92, 1.0, 1.3, 0.67
_BOLD = 1.09
_ELLIPSIS = "…"


@cache
def _em(char: str) -> float:
    if char in _LATIN:
        return _LATIN[char]
    if "가" <= char <= "힣" or "ㄱ" <= char <= "ㆎ":
        return _HANGUL
    kind = unicodedata.category(char)
    if kind in ("Mn", "Me", "Cf"):
        return 0.0
    if kind == "So" and char > "\u2fff":
        return _EMOJI
    return _WIDE if unicodedata.east_asian_width(char) in "WFA" else _OTHER


def text_width(text: str, size: float, weight: int = 400) -> float:
    """Width of a text, as it is shown, in the units of `size`, its type size."""
    return sum(_widths(showable(text), size, weight))


def shortened(text: str, room: float, size: float, weight: int = 400) -> str:
    """A showable text, or as much of it as fits with an ellipsis."""
    widths = _widths(text, size, weight)
    if sum(widths) <= room:
        return text
    used = accumulate(widths, initial=sum(_widths(_ELLIPSIS, size, weight)))
    return text[: sum(width <= room for width in islice(used, 1, None))] + _ELLIPSIS


def _widths(text: str, size: float, weight: int) -> list[float]:
    widths = map(_em, text)
    # The characters of East Asia fill their squares in every weight.
    return [size * width * (_BOLD if weight > 500 and width not in (_HANGUL, _WIDE) else 1) for width in widths]
