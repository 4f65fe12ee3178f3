"""A gold segmentation, parted into the lines that are scored and those that boundaries are learned from."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.boundaries.scoring import read_gold

_TESTED = (2, 5, 8)  # of ten lines


class Gold(NamedTuple):
    """A gold segmentation, and text of its language.

    Attributes
    ----------
    words : of every line.
    test : of the lines that are scored, three of ten; boundaries are not learned on them.
    train : the other lines without spaces and, where there is, more text of the language.
    """

    words: tuple[tuple[str, ...], ...]
    test: tuple[tuple[str, ...], ...]
    train: tuple[str, ...]


def gold_of(lines: Sequence[str], more: Sequence[str] = ()) -> Gold:
    """Gold lines as `engine.boundaries.scoring.read_gold` reads them."""
    words = tuple(tuple(own) for own in read_gold(lines) if own)
    # A single line is trained and tested on; it shows how the page works, no more.
    test = tuple(own for k, own in enumerate(words) if k % 10 in _TESTED) or words
    kept = [own for k, own in enumerate(words) if k % 10 not in _TESTED] or words
    train = ["".join(own) for own in kept] + ["".join(line.split()) for line in more]
    return Gold(words, test, tuple(line for line in train if line))
