"""Every candidate token of a sentence as a bar over its characters."""
