"""Lattice: all segmentations of a sentence, and why the best one is best."""
