"""Choosing texts: a visitor's own, those of a link, and what is missing."""
