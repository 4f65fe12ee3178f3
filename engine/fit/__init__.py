"""Changing the vocabulary of an existing tokenizer: tokens added from a text or a list, tokens removed."""
