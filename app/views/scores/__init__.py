"""Scores: P, BE and BE x P of a vocabulary."""
