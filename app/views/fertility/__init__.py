"""Fertility: tokens a word, by text, tokenizer and language."""
