"""Tokens beside morphemes: gold analyses, alignment, scores, grammatical classes, paradigms."""
