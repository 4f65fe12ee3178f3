"""Limits on the work of a file's steps on one text: counted, not timed, so that results are reproducible."""

from collections.abc import Callable

from engine.errors import InputError

_GROWTH, _FREE_GROWTH = 20, 1000
_CHANGES, _FREE_CHANGES = 32, 2000
# Fixed cost of a step, and characters scanned at the cost of one change.
_STEP, _LOOKED_THROUGH = 4, 32
# Characters walked by a kernel at the cost of one change.
_WALKED = 64

# Codes of the errors raised when a budget is exceeded.
OVERDONE = ("import.changes", "import.growth")

# The last one is called before each text.
_between_texts: list[Callable[[], None]] = [lambda: None]


def call_between_texts(function: Callable[[], None]) -> None:
    """Call this function before each text; it may raise to cancel work that nobody waits for."""
    _between_texts[1:] = [function]


class StepBudget:
    """Limits on the characters that steps may add and the changes that they may make, in proportion to the text.

    A change is anything that Python does per character, match or piece: a microsecond at most. Real tokenizers make
    fewer than ten per character.

    Parameters
    ----------
    given : characters of the text.
    """

    def __init__(self, given: int) -> None:
        _between_texts[-1]()
        self._given = given
        self._made = given
        self._left = _CHANGES * given + _FREE_CHANGES

    def step(self, n_characters: int) -> None:
        """Count a step that scans `n_characters`."""
        self.change(_STEP + n_characters // _LOOKED_THROUGH)

    def change(self, times: int) -> None:
        """Count changes; InputError if the budget is exceeded."""
        self._left -= times
        if self._left < 0:
            raise InputError("import.changes", given=self._given, most=_CHANGES * self._given + _FREE_CHANGES)

    def walk(self, n_characters: int, longest: int) -> None:
        """Count a kernel's search for tokens of up to `longest` characters at each of `n_characters` positions."""
        self.change(n_characters * longest // _WALKED)

    def grow(self, n_characters: int) -> None:
        """Count added characters (negative: removed, which refunds nothing); InputError as `allow`."""
        self.allow(n_characters)
        self._made += max(0, n_characters)

    def allow(self, n_characters: int) -> None:
        """Check that `n_characters` may be added; InputError if the budget is exceeded."""
        made = self._made + n_characters
        if made > (1 + _GROWTH) * self._given + _FREE_GROWTH:
            raise InputError("import.growth", given=self._given, made=made)
