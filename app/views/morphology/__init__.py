"""Morphology: token boundaries against those of morphemes, verbs under their endings, Hangul letter by letter."""
