"""Lattice: every way to cut a sentence, and why the best one is the best."""
