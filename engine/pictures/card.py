"""A card for a link: what it leads to in a title and a sentence, and bars below."""

from collections.abc import Iterator, Sequence

from engine.pictures.bars import CountBar, bar_shapes
from engine.pictures.svg import SvgShape, picture, plain_text
from engine.pictures.text_width import text_width

# The size that sites expect of a preview.
CARD = (1200, 630)
_MARGIN, _TITLE, _SENTENCE, _PRODUCT = 64, 60, 32, 26
_MOST_LINES, _LEADING = 2, 1.4
_BARS_WIDTH = 760  # in units of the bars


def card(title: str, sentence: str, product: str, rows: Sequence[CountBar]) -> str:
    """The card as SVG in light colours; of a long sentence the beginning, of the bars what fits."""
    room = CARD[0] - 2 * _MARGIN
    shapes = [plain_text(product, _MARGIN, _MARGIN, _PRODUCT, room, fill="faint")]
    y = _MARGIN + 1.8 * _TITLE
    shapes.append(plain_text(title, _MARGIN, y, _TITLE, room, 700))
    for line in _lines(sentence, room):
        y += _LEADING * _SENTENCE + (0.35 * _TITLE if len(shapes) == 2 else 0)
        shapes.append(plain_text(line, _MARGIN, y, _SENTENCE, room))
    top = y + 1.2 * _SENTENCE
    drawn, height = bar_shapes(rows, _BARS_WIDTH)
    scale = min(room / _BARS_WIDTH, (CARD[1] - _MARGIN / 2 - top) / height)
    place = f"translate({_MARGIN} {top:.1f}) scale({scale:.3f})"
    shapes.append(SvgShape("g", {"transform": place}, tuple(drawn)))
    return picture(*CARD, shapes, title, sentence, "light")


def _lines(sentence: str, room: float) -> Iterator[str]:
    """The first lines of the sentence, broken between words; the last has the rest, shortened when it is drawn."""
    words = sentence.split()
    for number in range(1, _MOST_LINES + 1):
        n = len(words)
        while number < _MOST_LINES and n > 1 and text_width(" ".join(words[:n]), _SENTENCE) > room:
            n -= 1
        if words:
            yield " ".join(words[:n])
        words = words[n:]
