"""Figures of the page Pruning rounds."""
