"""Morphology: token and morpheme boundaries, verbs with their endings, Hangul letter by letter."""
