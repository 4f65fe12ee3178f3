"""Choosing tokenizers: the active model, those it is compared with, and messages while they are trained."""
