"""Hangul: syllables and their letters, and the forms of verbs and adjectives."""
