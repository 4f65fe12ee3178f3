"""Pre-tokenization: named patterns, user-defined patterns, and their application to text."""
