"""A secret stored in the visitor's browser."""
