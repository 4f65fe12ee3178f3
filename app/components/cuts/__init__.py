"""A text to be cut by hand, and the cuts of others below it."""
