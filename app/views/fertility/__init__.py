"""Fertility: tokens per word, by text, tokenizer and language."""
