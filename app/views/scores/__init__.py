"""Scores: P, BE and BE × P of a vocabulary."""
