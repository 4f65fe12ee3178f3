"""The animation of the README, twenty seconds of the running app: `python -m research.site.animation FILE.png`.

A sentence is typed, its lattice shown, the vocabulary pruned, and languages compared. An APNG with one palette for all
frames.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from research.site.pictures import visited

_SENTENCE = "고구마는 다양한 사이드 디쉬로"
_WIDTH, _HEIGHT = 1280, 800
_FRAME = (896, 560)  # size of the frames
_COLOURS = 64


class Scene(NamedTuple):
    """An address of the app, and how many milliseconds it is shown."""

    address: str
    milliseconds: int


def scenes() -> Iterator[Scene]:
    """The scenes in order, 20 s together."""
    models = "lang=en&model=shipped:thunder-tok-32k"
    words = _SENTENCE.split()
    for n_words in range(1, len(words) + 1):
        yield Scene(f"/?{models}&text={' '.join(words[:n_words])}", 1000 if n_words < len(words) else 3000)
    yield Scene(f"/lattice?{models}&text={_SENTENCE}", 4000)
    for number in range(3, 11):  # those of which the model has all tokens
        yield Scene(f"/rounds?{models}&sentence={_SENTENCE}&round={number}", 750)
    yield Scene("/cost?lang=en", 4000)


def joined(pictures: Sequence[Image.Image]) -> list[Image.Image]:
    """The frames with one palette: that of all pictures side by side."""
    width, height = _FRAME
    small = [picture.convert("RGB").resize(_FRAME, Image.Resampling.LANCZOS) for picture in pictures]
    sheet = Image.new("RGB", (width, height * len(small)))
    for row, picture in enumerate(small):
        sheet.paste(picture, (0, row * height))
    palette = sheet.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    return [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in small]


def main(path: Path) -> None:
    """Write the animation."""
    played = list(scenes())
    with visited(_WIDTH, _HEIGHT) as window:
        pictures = [Image.open(io.BytesIO(window.picture(scene.address))) for scene in played]
    first, *rest = joined(pictures)
    durations = [scene.milliseconds for scene in played]
    first.save(path, save_all=True, append_images=rest, duration=durations, loop=0, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
