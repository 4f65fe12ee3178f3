"""Choosing tokenizers: the active model, those beside it, and what is said while they are trained."""
