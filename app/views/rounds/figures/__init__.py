"""Figures of the page on rounds."""
