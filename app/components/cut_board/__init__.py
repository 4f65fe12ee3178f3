"""The board of the boundaries: curves, cuts and gold over a sentence."""
