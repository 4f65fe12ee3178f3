"""Tokens in a row, a table or a concordance, with their morphemes and classes."""
