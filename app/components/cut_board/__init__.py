"""The board of the page Boundaries: curves, cuts and gold over a sentence."""
