"""The size of a figure on paper: its width, and the size of its letters, which together decide its layout."""

from dataclasses import dataclass

from engine.errors import InputError

ONE_COLUMN, TWO_COLUMNS = 84.0, 174.0  # widths in mm
WIDTHS, LETTERS = (20.0, 500.0), (4.0, 24.0)
DEFAULT_LETTERS = 8.0
_MM_PER_PT = 25.4 / 72
_LEAST_ROOM = 14.0  # letters that the width must have room for


@dataclass(frozen=True)
class FigureSize:
    """A width in mm and a letter size in pt.

    Raises
    ------
    InputError : they are out of bounds, or the width has no room for such letters.
    """

    width_mm: float = TWO_COLUMNS
    letters_pt: float = DEFAULT_LETTERS

    def __post_init__(self) -> None:
        if not WIDTHS[0] <= self.width_mm <= WIDTHS[1]:
            raise InputError("report.width", value=self.width_mm, low=WIDTHS[0], high=WIDTHS[1])
        if not LETTERS[0] <= self.letters_pt <= LETTERS[1]:
            raise InputError("report.letters", value=self.letters_pt, low=LETTERS[0], high=LETTERS[1])
        if self.width_mm < _LEAST_ROOM * self.letters_pt * _MM_PER_PT:
            raise InputError("report.room", width=self.width_mm, letters=self.letters_pt)

    def width_px(self, letters_px: float) -> float:
        """The width at which to draw a picture whose letters are so many px, so that they print at their size."""
        return self.width_mm / (self.letters_pt * _MM_PER_PT) * letters_px
