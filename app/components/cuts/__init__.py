"""A text to cut by hand, and the cuts of others below it."""
