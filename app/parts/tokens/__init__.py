"""Tokens in a row or a table, with their morphemes and classes."""
