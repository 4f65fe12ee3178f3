"""Choosing texts: a visitor's own, a link's, and missing ones."""
