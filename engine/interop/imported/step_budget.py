"""What the steps of a file may do with one text: counted, never timed, so that equal texts always end alike."""

from collections.abc import Callable

from engine.errors import InputError

_GROWTH, _FREE_GROWTH = 20, 1000
_CHANGES, _FREE_CHANGES = 32, 2000
# What one step is worth whatever it does, and how many characters are looked through at the cost of one change.
_STEP, _LOOKED_THROUGH = 4, 32
# Characters that a kernel walks at the cost of one change.
_WALKED = 64

# Codes of the errors that say that a text is worth no more.
OVERDONE = ("import.changes", "import.growth")

# The last one is called whenever a text is begun.
_between_texts: list[Callable[[], None]] = [lambda: None]


def call_between_texts(function: Callable[[], None]) -> None:
    """Have this called before each text: it may raise where nobody waits for the result any more."""
    _between_texts[1:] = [function]


class StepBudget:
    """Characters that steps may add to a text, and changes that they may make: in proportion to its length, in all.

    A change is anything that Python does for one character, match or piece: a microsecond at most. Tokenizers that
    people use make fewer than ten a character.

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
        """A step begins, and looks through so many characters."""
        self.change(_STEP + n_characters // _LOOKED_THROUGH)

    def change(self, times: int) -> None:
        """So many changes are made.

        Raises
        ------
        InputError : they are more than the text is worth.
        """
        self._left -= times
        if self._left < 0:
            raise InputError("import.changes", given=self._given, most=_CHANGES * self._given + _FREE_CHANGES)

    def walk(self, n_characters: int, longest: int) -> None:
        """At each of so many characters, a kernel looks for tokens of up to so many."""
        self.change(n_characters * longest // _WALKED)

    def grow(self, n_characters: int) -> None:
        """So many characters are added (below zero: taken away, which gives nothing back); InputError as `allow`."""
        self.allow(n_characters)
        self._made += max(0, n_characters)

    def allow(self, n_characters: int) -> None:
        """So many characters may be added.

        Raises
        ------
        InputError : they are more than the text is worth.
        """
        made = self._made + n_characters
        if made > (1 + _GROWTH) * self._given + _FREE_GROWTH:
            raise InputError("import.growth", given=self._given, made=made)
