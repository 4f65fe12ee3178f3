"""Morphology: token boundaries against those of morphemes, and verbs under their endings."""
