"""Tokens compared with morphemes: gold analyses, alignment, scores, grammatical classes, paradigms."""
