"""Figures of the page on scores."""
