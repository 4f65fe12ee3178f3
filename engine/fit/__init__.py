"""Changing the vocabulary of an existing BPE tokenizer: tokens added from a text or a list, tokens removed."""
