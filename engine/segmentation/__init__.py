"""Boundaries scored against a gold segmentation: the methods, their errors, tokens trained inside of what they cut."""
