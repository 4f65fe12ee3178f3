"""Figures of the page Scores."""
