"""Where tokenizers, morphemes and lattices cut a text, as positions in `app.lessons.questions.cut_places`."""

from app.lessons.questions import cut_places
from app.parts.tables.segmentation import Segmentation
from engine.lattice.lattice import Lattice


def token_cuts(segmentation: Segmentation) -> tuple[int, ...]:
    """Positions where one token ends and the next begins; none inside a character."""
    ends = set(segmentation.byte_end.tolist())
    text = segmentation.text
    return tuple(place for place in cut_places(text) if len(text[:place].encode()) in ends)


def posterior_cuts(lattice: Lattice, text: str) -> dict[int, float]:
    """The probability of a cut at every position, over all segmentations."""
    return {place: float(lattice.boundary_prob[place]) for place in cut_places(text)}
