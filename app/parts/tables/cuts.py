"""Where a lattice cuts a text, as the places of `engine.lessons.questions.cut_places`."""

from engine.lessons.questions import cut_places
from engine.unigram.lattice import Lattice


def posterior_cuts(lattice: Lattice, text: str) -> dict[int, float]:
    """The probability of a cut at every place, over all segmentations."""
    return {place: float(lattice.boundary_prob[place]) for place in cut_places(text)}
