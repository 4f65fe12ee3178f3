"""The lines of a concordance."""
