"""Morphological analysers behind a common interface."""
